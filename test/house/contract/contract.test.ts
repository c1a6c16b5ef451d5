/** The SQL contract: complete, commented with units, and not changed without its version. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readerQuery } from '../../../src/store/reader/reader-query.ts';
import { freshDatabase } from '../../database.ts';
import { REPOSITORY } from '../sources.ts';
import { changesBetween, isAtLeast, nextVersion } from './change.ts';
import { type Contract, type ContractColumn, readContract, readSource } from './contract.ts';
import { pageOf } from './page.ts';

const database = await freshDatabase();
const live = await readContract(database.url);
afterAll(() => database.drop());

const written = JSON.parse(
  await readFile(path.join(REPOSITORY, 'docs/sql-contract.json'), 'utf8'),
) as Contract; // of sql:reference, and held against the database below
const columns = live.views.flatMap(({ name, columns: all }) =>
  all.map((column) => ({ ...column, path: `${name}.${column.name}` })),
);

test('the views are what the contract of this version says, or the version was raised', () => {
  const changes = changesBetween(written, live);
  const said = changes.map(({ size, what }) => `${size}: ${what}`);
  const advice = `The views differ from docs/sql-contract.json. In migrations/views/contract.sql write
    'strandline SQL contract, version ${nextVersion(written.version, changes)}', then run: npm run -s sql:reference`;
  expect(said, advice).toEqual([]);
  expect(live.version, advice).toBe(written.version);
});

test('the files of the views are those that this version was recorded with', async () => {
  const recorded: unknown = JSON.parse(
    await readFile(path.join(REPOSITORY, 'test/house/contract/views.json'), 'utf8'),
  );
  const advice =
    'Files of migrations/views changed: databases get them only with a higher version. Raise it in contract.sql, then run: npm run -s sql:reference';
  expect(await readSource(), advice).toEqual(recorded);
});

test('the reference page is what the database says; npm run -s sql:reference writes it', async () => {
  expect(await readFile(path.join(REPOSITORY, 'docs/sql.md'), 'utf8')).toBe(pageOf(live));
});

test('the version is a row that the reader can ask for', async () => {
  const sql = 'select version, major, minor from contract';
  const [major, minor] = live.version.split('.').map(Number);
  expect((await readerQuery({ url: database.readerUrl, sql })).rows).toEqual([[live.version, major, minor]]);
});

describe('comments', () => {
  test('every view and every column has one', () => {
    expect(live.views.length).toBeGreaterThan(35);
    expect(live.views.filter(({ meaning }) => meaning === '').map(({ name }) => name)).toEqual([]);
    expect(columns.filter(({ meaning }) => meaning === '').map((one) => one.path)).toEqual([]);
  });

  test('say what null means where it can be', () => {
    const silent = columns.filter(({ nullable, meaning }) => nullable && !/\bnull\b/i.test(meaning));
    expect(silent.map((one) => one.path)).toEqual([]);
  });

  test('name the unit of a number or time, or what it counts', () => {
    expect(columns.filter((column) => !saysUnit(column)).map((one) => `${one.path}: ${one.meaning}`)).toEqual(
      [],
    );
    expect(saysUnit({ name: 'waited', type: 'integer', nullable: false, meaning: 'How long.' })).toBe(false);
    expect(saysUnit({ name: 'at', type: 'timestamptz', nullable: false, meaning: 'When.' })).toBe(false);
  });
});

const UNITS =
  /\b(seconds|milliseconds|hours?|days|bytes|US dollars|number|0 to 1|code|mean|median|per (observed )?(hour|day))\b/i;
const COUNTED =
  /\b(posts|links|likes|replies|reposts|views|quotes|impressions|bookmarks|followers|engagement|searches|completions|windows|topics|lists|items)\b/i;
/** One number over another of the same unit. */
const RATIO = / over | \/ /;

/** Keys have no unit, and neither have texts; an array is of keys or of texts. */
function saysUnit({ name, type, meaning }: ContractColumn): boolean {
  if (/(^|_)id$/.test(name)) return true;
  if (type.startsWith('timestamp')) return /\bUTC\b/.test(meaning);
  if (!/^(smallint|integer|bigint|numeric|real|double precision)/.test(type) || type.endsWith('[]'))
    return true;
  return UNITS.test(meaning) || COUNTED.test(meaning) || RATIO.test(meaning);
}

describe('a change asks for a version', () => {
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
    ['none where nothing changed', of(column('a'), column('b')), '1.9'],
    ['a column that comes', of(column('a'), column('b'), column('c')), '1.10'],
    ['other words', of(column('a', { meaning: 'Links.' }), column('b')), '1.10'],
    ['a column that goes', of(column('a')), '2.0'],
    ['another name', of(column('a'), column('c')), '2.0'],
    ['another place', of(column('b'), column('a')), '2.0'],
    ['another type', of(column('a', { type: 'integer' }), column('b')), '2.0'],
    ['null where none was', of(column('a', { nullable: true }), column('b')), '2.0'],
    ['a view that goes', { version: '1.9', views: [] }, '2.0'],
  ])('%s', (_, after, version) => {
    expect(nextVersion('1.9', changesBetween(before, after))).toBe(version);
  });

  test('versions are numbers: 1.10 comes after 1.9', () => {
    expect([isAtLeast('1.10', '1.9'), isAtLeast('1.9', '1.10'), isAtLeast('2.0', '1.10')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
