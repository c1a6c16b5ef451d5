/** `docs/internals/members.md` is complete and true: each member of the specification has a column, and a view shows it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listMembers } from '../../src/protocol/dialect.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { freshDatabase } from '../database.ts';
import { columnsOf } from './catalog.ts';
import { REPOSITORY } from './sources.ts';

const page = await readFile(path.join(REPOSITORY, 'docs/internals/members.md'), 'utf8');
const rows = readRows(page);
const database = await freshDatabase();
const client = await connect(database.url, 'test of members');
const columns = await columnsOf(client);
await client.end();

afterAll(() => database.drop());

test('every member of the specification has a row', () => {
  expect(listMembers().filter((member) => !rows.has(member))).toEqual([]);
});

test('every row is about exactly one member of the specification', () => {
  const known = new Set(listMembers());
  expect([...rows.keys()].filter((member) => !known.has(member))).toEqual([]);
  expect(rows.size).toBe(membersIn(page).length);
});

test('a member has a column and a view column, or says where its value goes', () => {
  const lost = [...rows].filter(([, { table, view, note }]) => {
    const hasBoth = table?.startsWith('strandline.') && view?.startsWith('strandline_analytics.');
    const isStructure = table === undefined && view === undefined && note !== '';
    return !hasBoth && !isStructure;
  });
  expect(lost).toEqual([]);
});

test('a structural member leads to existing members or columns', () => {
  for (const [member, { table, note }] of rows) {
    if (table !== undefined) continue;
    const [named] = /`(\w+)\.\*`/.exec(note)?.slice(1) ?? [];
    const leads = [...rows.keys()].filter((other) => other.startsWith(`${named}.`) && other !== member);
    expect(leads.length, `${member}: ${note}`).toBeGreaterThan(0);
  }
});

test('every column on the page exists in a migrated database', () => {
  const named = [...page.matchAll(/`(strandline(?:_analytics)?\.\w+\.\w+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(100);
  expect([...new Set(named)].filter((name) => !columns.has(name))).toEqual([]);
  expect(columns.has('strandline.posts.no_such_column')).toBe(false);
});

test('detects a missing row', () => {
  const without = page.replace(/^\| `post\.like_count`.*\n/m, '');
  expect(listMembers().filter((member) => !readRows(without).has(member))).toEqual(['post.like_count']);
});

type Row = { table: string | undefined; view: string | undefined; note: string };

/** Rows of the page's tables: member, column, view column, remark. */
function readRows(text: string): Map<string, Row> {
  return new Map(
    membersIn(text).map(([member = '', table = '', view = '', note = '']) => [
      member,
      { table: unquoted(table), view: unquoted(view), note },
    ]),
  );
}

function membersIn(text: string): string[][] {
  return [...text.matchAll(/^\| `(\w+\.\w+)`\s*\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].map((found) =>
    found.slice(1).map((cell) => cell.trim()),
  );
}

/** The name in a cell; undefined where the cell holds no name. */
function unquoted(cell: string): string | undefined {
  return /^`([^`]+)`$/.exec(cell)?.[1];
}
