/** The SQL contract is complete, documents units, and changes only with its version. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readerQuery } from '../../../src/store/reader/reader-query.ts';
import { freshDatabase } from '../../database.ts';
import { REPOSITORY } from '../sources.ts';
import { changesBetween, isAtLeast, nextVersion } from './change.ts';
import { type Contract, type ContractColumn, readContract, readSource } from './contract.ts';
import { pageOf } from './page.ts';
import { formatViewTypes, VIEWS_FILE } from './view-types.ts';

const database = await freshDatabase();
const live = await readContract(database.url);
afterAll(() => database.drop());

const written = JSON.parse(
  await readFile(path.join(REPOSITORY, 'docs/reference/sql-contract.json'), 'utf8'),
) as Contract; // written by sql:reference, compared with the database below
const columns = live.views.flatMap(({ name, columns: all }) =>
  all.map((column) => ({ ...column, path: `${name}.${column.name}` })),
);

test('a changed view has a higher version', () => {
  const changes = changesBetween(written, live);
  const said = changes.map(({ size, what }) => `${size}: ${what}`);
  const advice = `The views differ from docs/reference/sql-contract.json. In migrations/views/contract.sql write
    'strandline SQL contract, version ${nextVersion(written.version, changes)}', then run: npm run -s sql:reference`;
  expect(said, advice).toEqual([]);
  expect(live.version, advice).toBe(written.version);
});

test('changed view files have a higher version', async () => {
  const recorded: unknown = JSON.parse(
    await readFile(path.join(REPOSITORY, 'test/house/contract/views.json'), 'utf8'),
  );
  const advice =
    'Files in migrations/views changed, and databases apply them only with a higher version. Raise it in contract.sql, then run: npm run -s sql:reference';
  expect(await readSource(), advice).toEqual(recorded);
});

test('the reference page is current (npm run -s sql:reference)', async () => {
  expect(await readFile(path.join(REPOSITORY, 'docs/reference/sql.md'), 'utf8')).toBe(pageOf(live));
});

test('the declarations of the views are current (npm run types)', async () => {
  expect(await readFile(VIEWS_FILE, 'utf8')).toBe(await formatViewTypes(live.views));
});

test('the reader can query the version', async () => {
  const sql = 'select version, major, minor from contract';
  const [major, minor] = live.version.split('.').map(Number);
  expect((await readerQuery({ url: database.readerUrl, sql })).rows).toEqual([[live.version, major, minor]]);
});

describe('comments', () => {
  test('exist for every view and column', () => {
    expect(live.views.length).toBeGreaterThan(35);
    expect(live.views.filter(({ meaning }) => meaning === '').map(({ name }) => name)).toEqual([]);
    expect(columns.filter(({ meaning }) => meaning === '').map((one) => one.path)).toEqual([]);
  });

  test('name the unit of each number and time, or what it counts', () => {
    expect(columns.filter((column) => !saysUnit(column)).map((one) => `${one.path}: ${one.meaning}`)).toEqual(
      [],
    );
    expect(saysUnit({ name: 'waited', type: 'integer', nullable: false, meaning: 'How long.' })).toBe(false);
    expect(saysUnit({ name: 'at', type: 'timestamptz', nullable: false, meaning: 'When.' })).toBe(false);
  });
});

const UNITS =
  /\b(seconds|milliseconds|hours?|days|bytes|US dollars|number|0 to 1|code|mean|median|position|version|standard deviations|per (observed )?(hour|day))\b/i;
const COUNTED =
  /\b(posts|links|likes|replies|reposts|views|quotes|impressions|bookmarks|followers|engagement|searches|completions|windows|topics|lists|items)\b/i;
/** A ratio of two numbers of the same unit. */
const RATIO = / over | \/ /;

/** Keys and texts have no unit; arrays hold keys or texts. */
function saysUnit({ name, type, meaning }: ContractColumn): boolean {
  if (/(^|_)id$/.test(name)) return true;
  if (type.startsWith('timestamp')) return /\bUTC\b/.test(meaning);
  if (!/^(smallint|integer|bigint|numeric|real|double precision)/.test(type) || type.endsWith('[]'))
    return true;
  return UNITS.test(meaning) || COUNTED.test(meaning) || RATIO.test(meaning);
}

describe('the next version', () => {
  const column = (name: string, over: Partial<ContractColumn> = {}): ContractColumn => ({
    name,
    type: 'bigint',
    nullable: false,
    meaning: 'Posts.',
    ...over,
  });
  const of = (...all: ContractColumn[]): Contract => ({
    version: '1.9',
    views: [{ name: 'v', meaning: 'A view.', columns: all }],
  });
  const before = of(column('a'), column('b'));
  test.each<[string, Contract, string]>([
    ['no change', of(column('a'), column('b')), '1.9'],
    ['an added column', of(column('a'), column('b'), column('c')), '1.10'],
    ['a changed comment', of(column('a', { meaning: 'Links.' }), column('b')), '1.10'],
    ['a removed column', of(column('a')), '2.0'],
    ['a renamed column', of(column('a'), column('c')), '2.0'],
    ['a moved column', of(column('b'), column('a')), '2.0'],
    ['a changed type', of(column('a', { type: 'integer' }), column('b')), '2.0'],
    ['a column that becomes nullable', of(column('a', { nullable: true }), column('b')), '2.0'],
    ['a removed view', { version: '1.9', views: [] }, '2.0'],
  ])('%s', (_, after, version) => {
    expect(nextVersion('1.9', changesBetween(before, after))).toBe(version);
  });

  test('versions compare as numbers: 1.10 comes after 1.9', () => {
    expect([isAtLeast('1.10', '1.9'), isAtLeast('1.9', '1.10'), isAtLeast('2.0', '1.10')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
