/** The documents show commands and options that exist. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { OF_BOTH_DATABASES } from '../../src/cli/program-name.ts';
import { REPOSITORY } from './sources.ts';

const read = (name: string) => readFile(path.join(REPOSITORY, name), 'utf8');

/** The options of each command, by its words: from the reference, which readme.test.ts compares with the program. */
const OPTIONS = new Map(
  [
    ...(await read('docs/reference/commands.md')).matchAll(/^```text\nUsage: strandline ([\s\S]*?)^```/gm),
  ].map(([, help = '']) => {
    const name = /^[a-z]+(?: [a-z]+)*/.exec(help)?.[0] ?? '';
    const ofEvery = OF_BOTH_DATABASES.has(name.split(' ')[0] ?? '') ? ['--help'] : ['--help', '--sandbox'];
    return [name, new Set([...ofEvery, ...[...help.matchAll(/--[a-z-]+/g)].map(([option]) => option)])];
  }),
);

const pages = [
  'README.md',
  ...(await readdir(path.join(REPOSITORY, 'docs'), { recursive: true })).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md') && name !== 'docs/reference/commands.md');

/** Lines of code and words between backticks that call the program. */
function findCalls(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)?\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  );
  return [...blocks, ...inline]
    .map((line) => /^(?:\$ )?(?:[A-Z_]+=\S* )*strandline ([a-z].*)$/.exec(line)?.[1] ?? '')
    .filter((call) => call !== '');
}

function findUnknown(call: string): string | undefined {
  const words = call
    .replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT')
    .replace(/ (?:#|[|<>&]).*$/, '')
    .split(' ');
  const known = words.map((_, i) => words.slice(0, i + 1).join(' ')).filter((name) => OPTIONS.has(name));
  const options = OPTIONS.get(known.at(-1) ?? '');
  const unknown = words.filter(
    (word) => word.startsWith('--') && options?.has(word.replace(/[=,.].*$/, '')) !== true,
  );
  return options === undefined || unknown.length > 0 ? call : undefined;
}

test.each(pages)('every command of %s exists with its options', async (page) => {
  expect(findCalls(await read(page)).filter((call) => findUnknown(call) !== undefined)).toEqual([]);
});

test('detects an unknown command and an unknown option', () => {
  expect(OPTIONS.size).toBeGreaterThan(60);
  expect(findCalls('```sh\na="b" # c\nstrandline status\n```\nand `strandline sql -`')).toEqual([
    'status',
    'sql -',
  ]);
  expect(findUnknown('search add x --every 1h')).toBeUndefined();
  expect(findUnknown('search add x --evry 1h')).toBe('search add x --evry 1h');
  expect(findUnknown('serch list')).toBe('serch list');
});
