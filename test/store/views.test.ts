/** The declared views are the views of the database: every column, in its order, no more. */
import { getTableColumns } from 'drizzle-orm';
import { getViewConfig, PgView } from 'drizzle-orm/pg-core';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import { declared } from '../../src/store/db/row-shapes.ts';
import { author_versions, authors, post_versions, posts } from '../../src/store/schema/post-tables.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
const client = await connect(database.url, 'test of views');
const { rows } = await client.query<{ view: string; columns: string[]; commented: boolean }>(
  `SELECT c.relname AS view, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
     bool_and(col_description(c.oid, a.attnum) <> '') AND obj_description(c.oid, 'pg_class') <> '' AS commented
   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
   WHERE c.relnamespace = 'strandline_analytics'::regnamespace AND c.relkind = 'v' GROUP BY c.oid, c.relname`,
);
await client.end();
afterAll(() => database.drop());

const views = Object.values<object>(declared).flatMap((one) =>
  one instanceof PgView ? [getViewConfig(one)] : [],
);

test('every view is declared', () => {
  expect(new Set(views.map(({ name }) => name))).toEqual(new Set(rows.map(({ view }) => view)));
});

test.each(views.map((view) => [view.name, Object.keys(view.selectedFields)]))('%s', (name, columns) => {
  expect(rows.find(({ view }) => view === name)?.columns).toEqual(columns);
});

test('every view and each of its columns has a description', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ commented }) => !commented).map(({ view }) => view)).toEqual([]);
});

test.each(Object.entries({ authors, author_versions, posts, post_versions }))(
  'every column of %s has the name of its member',
  (_name, table) => {
    const columns = Object.entries(getTableColumns(table));
    expect(columns.map(([, { name }]) => name)).toEqual(columns.map(([name]) => name));
  },
);
