/**
 * `docs/internals/members.md` is complete and true: each member of the specification and of the samples has a column
 * that a view shows, or the reason why it has none.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listMembers } from '../../src/protocol/dialect.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { freshDatabase } from '../database.ts';
import { sampleJson } from '../samples/sample.ts';
import { columnsOf } from './catalog.ts';
import { membersOf } from './sample-members.ts';
import { REPOSITORY } from './sources.ts';

const page = await readFile(path.join(REPOSITORY, 'docs/internals/members.md'), 'utf8');
const rows = readRows(page);
const database = await freshDatabase();
const client = await connect(database.url, 'test of members');
const columns = await columnsOf(client);
await client.end();

afterAll(() => database.drop());

const SAMPLES = [
  'ai-search.2025-03.named.json',
  'ai-search.2026-04.named.json',
  'ai-search.later.named.json',
  'microblog.2025-03.named.json',
  'posts-80.named.json',
];
const seen = membersOf(SAMPLES.map(sampleJson));

test('every member of the specification has a row', () => {
  expect(listMembers().filter((member) => !rows.has(member))).toEqual([]);
});

test('every member of every sample has a row', () => {
  expect(seen.size).toBeGreaterThan(90);
  expect([...seen].filter((member) => !rows.has(member))).toEqual([]);
});

test('every row is about a member of the specification or of a sample, and none about two', () => {
  const known = new Set([...listMembers(), ...seen]);
  expect([...rows.keys()].filter((member) => !known.has(member))).toEqual([]);
  expect(rows.size).toBe(membersIn(page).length);
});

test('a member has a column and a view column, says where what it holds goes, or why it is not kept', () => {
  const lost = [...rows].filter(([, { table, view, note }]) => {
    const hasBoth = table !== undefined && view !== undefined;
    const hasReason = table === undefined && view === undefined && note !== '';
    return !hasBoth && !hasReason;
  });
  expect(lost).toEqual([]);
});

test('a member that is not kept is none of the specification', () => {
  const specified = new Set(listMembers());
  const left = [...rows].filter(([, { note }]) => isLeftOut(note)).map(([member]) => member);
  expect(left.filter((member) => specified.has(member))).toEqual([]);
  expect(left.length).toBeLessThan(6);
});

test('what is structure only leads to members or columns that are there', () => {
  for (const [member, { table, note }] of rows) {
    if (table !== undefined || isLeftOut(note)) continue;
    const [named] = /`(\w+)\.\*`/.exec(note)?.slice(1) ?? [];
    const leads = [...rows.keys()].filter((other) => other.startsWith(`${named}.`) && other !== member);
    expect(leads.length, `${member}: ${note}`).toBeGreaterThan(0);
  }
});

test('every column on the page exists in a migrated database', () => {
  const inRemarks = [...page.matchAll(/`(strandline(?:_analytics)?\.\w+\.\w+)`/g)].map(
    ([, name = '']) => name,
  );
  const inRows = [...rows.values()].flatMap(({ table, view }) => [table ?? [], view ?? []].flat());
  const named = [...inRows, ...inRemarks];
  expect(named.length).toBeGreaterThan(100);
  expect([...new Set(named)].filter((name) => !columns.has(name))).toEqual([]);
  expect(columns.has('strandline.posts.no_such_column')).toBe(false);
});

test('detects a missing row', () => {
  const without = page.replace(/^\| `post\.like_count`.*\n/m, '');
  expect(listMembers().filter((member) => !readRows(without).has(member))).toEqual(['post.like_count']);
});

const isLeftOut = (note: string) => note.startsWith('not kept: ');

type Row = { table: string | undefined; view: string | undefined; note: string };

/** Rows of the page's tables: member, column (and that of the view, if it has another name), remark. */
function readRows(text: string): Map<string, Row> {
  return new Map(
    membersIn(text).map(([member = '', kept = '', note = '']) => {
      const [table = '', view = table] = kept.split(' → ');
      return [
        member,
        { table: inSchema('strandline', table), view: inSchema('strandline_analytics', view), note },
      ];
    }),
  );
}

function membersIn(text: string): string[][] {
  return [...text.matchAll(/^\| `(\w+\.\w+)`\s*\|([^|]*)\|([^|]*)\|$/gm)].map((found) =>
    found.slice(1).map((cell) => cell.trim()),
  );
}

/** The column that a cell names, with its schema; undefined where the cell names none. */
function inSchema(schema: string, cell: string): string | undefined {
  const column = /^`(\w+\.\w+)`$/.exec(cell)?.[1];
  return column === undefined ? undefined : `${schema}.${column}`;
}
