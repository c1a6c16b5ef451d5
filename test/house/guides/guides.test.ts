/**
 * Every command and statement of the tutorial and of the how-to guides, typed in the order of the page into a terminal. Each must
 * end well, print rows, and begin as the page shows it: with the same columns or the same message, but for figures.
 */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../processes.ts';
import { type Block, readBlocks, shapeOf } from './blocks.ts';
import { openReader, type Reader } from './reader.ts';

const DOCS = new URL('../../../docs/', import.meta.url);
const GUIDES = (await readdir(new URL('how-to/', DOCS))).map((name) => `how-to/${name}`);
const blocks = (
  await Promise.all(
    ['tutorial.md', ...GUIDES].map(async (name) =>
      readBlocks(name, await readFile(new URL(name, DOCS), 'utf8')),
    ),
  )
).flat();

type NotRun = { reason: string; is: (block: Block) => boolean; count: number };

/** What cannot run here. The first rule that fits a block counts it, so that no new block escapes by accident. */
const NOT_RUN: readonly NotRun[] = [
  { reason: 'a host of its own', is: ({ at }) => at.startsWith('how-to/self-hosting.md'), count: 12 },
  { reason: 'an assistant', is: ({ at }) => at.startsWith('how-to/assistants.md'), count: 2 },
  { reason: 'a mail server', is: ({ at }) => at.startsWith('how-to/mail.md'), count: 3 },
  { reason: 'an address of a chat', is: ({ at }) => at.startsWith('how-to/chat.md'), count: 1 },
  { reason: 'a site of the reader', is: ({ at }) => at.startsWith('how-to/sources.md'), count: 2 },
  { reason: 'Docker', is: ({ code }) => /^docker /m.test(code), count: 1 },
  { reason: 'psql', is: ({ code }) => /^psql /m.test(code), count: 2 },
  {
    reason: 'Python or DuckDB',
    is: ({ language, at }) => language === 'python' || (language === '' && at.includes('sql-and-notebooks')),
    count: 3,
  },
  { reason: 'the name of a person', is: ({ code }) => code.includes('authors forget @name'), count: 1 },
  {
    reason: 'not typed: another terminal, or the file of a program',
    is: ({ language }) => language === '' || language === 'js' || language === 'yaml',
    count: 7,
  },
];
const findReason = (block: Block) => NOT_RUN.find(({ is }) => is(block))?.reason;

test('the blocks that are not run are these', () => {
  const counts = NOT_RUN.map(({ reason }) => [
    reason,
    blocks.filter((block) => findReason(block) === reason).length,
  ]);
  expect(counts).toEqual(NOT_RUN.map(({ reason, count }) => [reason, count]));
});

test('the shape of an output is the same for one and for many, and not for other things', () => {
  const [one, many, others] = ['1 post and 8 links', '60 posts and 1 link', '60 posts and 3 runs'].map(
    shapeOf,
  );
  expect(one).toEqual(many);
  expect(one).not.toEqual(others);
});

/** A demo takes a minute of a processor that others use, too. */
const MAX_MS = 1_200_000;

describe.each([
  { pages: ['tutorial.md'], first: [] },
  // In place of the whole demo, which takes five times as long.
  { pages: GUIDES, first: ['npm start', 'strandline demo --days 4 --topics 3'] },
])('$pages', ({ pages, first }) => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await openReader();
    for (const line of first) expect(await reader.type(line)).toMatchObject({ code: 0 });
  }, MAX_MS);
  afterAll(() => reader.close());

  const own = blocks.filter(({ at }) => pages.includes(at.replace(/:.*/, '')));
  for (const { file, code, language } of own)
    if (file !== undefined && (language === 'js' || language === 'sql'))
      beforeAll(() => reader.write(file, code));

  test.each(own.filter((block) => findReason(block) === undefined))(
    '$at',
    { timeout: MAX_MS },
    async ({ language, code, file, shown, mayBeEmpty }) => {
      if (language === 'sql' && file === undefined) await reader.write('statement.sql', code);
      const typed = language === 'sh' ? code : `strandline sql --sandbox < ${file ?? 'statement.sql'}`;
      const wanted = shapeOf(shown ?? '').filter((line) => line !== '…');
      // The columns of a table, or a message.
      const begin = (wanted[0] ?? '').replace(/…$/, '');
      const isAsShown = (output: string) =>
        (mayBeEmpty || !isEmpty(output)) && shapeOf(output).join(' ').includes(begin);
      let done = await reader.type(typed);
      expect(done, typed).toMatchObject({ code: 0 });
      // What a page lets happen before a list comes with a run of the next minute.
      if (/^strandline [a-z]+ list\b.*\n$/.test(code) && !isAsShown(done.output))
        await until(
          `${typed} prints what the page shows`,
          async () => {
            done = await reader.type(typed);
            return isAsShown(done.output);
          },
          MAX_MS,
        );
      if (!isAsShown(done.output)) expect(done.output, typed).toBe(shown ?? 'rows');
      if (shown === undefined) return;
      expect(shapeOf(done.output).length).toBeGreaterThanOrEqual(Math.min(wanted.length, 2));
    },
  );
});

const isEmpty = (output: string) => /^(?:0 rows|No [a-z ]+\.)/m.test(output);
