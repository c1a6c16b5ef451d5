/** Rows of the views are what their declarations say; that these are current is a test of `test/house/contract/`. */
import { Column, getTableColumns } from 'drizzle-orm';
import { getViewConfig, PgView } from 'drizzle-orm/pg-core';
import { afterAll, expect, test } from 'vitest';
import * as views from '../../src/store/schema/analytics-views.ts';
import { author_versions, authors, post_versions, posts } from '../../src/store/schema/post-tables.ts';
import { seededApi } from '../web/api/world.ts';

const api = await seededApi();
const { world } = api;
afterAll(() => api.close());

const columns = Object.values<object>(views).flatMap((view) => {
  if (!(view instanceof PgView)) return [];
  const { name, selectedFields } = getViewConfig(view);
  return Object.entries(selectedFields).flatMap(([column, declared]) =>
    declared instanceof Column ? [{ view: name, column, notNull: declared.notNull }] : [],
  );
});

test('a column whose comment does not say what null means is never null', async () => {
  const known = columns.filter(({ notNull }) => notNull);
  expect(known.length).toBeGreaterThan(400);
  const filled = new Set<string>();
  const nulls: string[] = [];
  for (const { view, column } of known) {
    const { rows } = await world.db.pool.query<{ rows: number; nulls: number }>(
      `SELECT count(*)::int AS rows, count(*) FILTER (WHERE ${column} IS NULL)::int AS nulls FROM strandline_analytics.${view}`,
    );
    if (rows[0]?.rows !== 0) filled.add(view);
    if (rows[0]?.nulls !== 0) nulls.push(`${view}.${column}`);
  }
  expect(nulls).toEqual([]);
  expect(filled.size).toBeGreaterThan(40);
});

test.each(Object.entries({ authors, author_versions, posts, post_versions }))(
  'every column of %s has the name of its member',
  (_name, table) => {
    const named = Object.entries(getTableColumns(table));
    expect(named.map(([, { name }]) => name)).toEqual(named.map(([name]) => name));
  },
);
