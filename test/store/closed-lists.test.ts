/** Closed lists agree: those of view declarations, the source of types and the OpenAPI document, and CHECKs. */
import { Column } from 'drizzle-orm';
import { getViewConfig, PgView } from 'drizzle-orm/pg-core';
import { afterAll, expect, test } from 'vitest';
import * as views from '../../src/store/schema/analytics-views.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld();
afterAll(() => world.close());

/** Columns of views that show a column of another table, or under another name. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'services.kind': ['searches.service_kind', 'posts_in_sight.service_kind', 'share_of_voice.service_kind'],
  'searches.state': ['search_states.state'],
  'claims.role': ['completion_claims.role'],
};

const listed = new Map(
  Object.values<object>(views).flatMap((one) => {
    if (!(one instanceof PgView)) return [];
    const { name, selectedFields } = getViewConfig(one);
    return Object.entries(selectedFields).flatMap(([member, column]): [string, readonly string[]][] => {
      if (!(column instanceof Column)) return [];
      const of = 'baseColumn' in column ? (column.baseColumn as Column) : column; // an array's, by PgArray
      return [[`${name}.${member}`, of.enumValues ?? []]];
    });
  }),
);

test('every CHECK with a list of values matches the views that show the column', async () => {
  const { rows } = await world.db.pool.query<{ column: string; definition: string }>(
    `SELECT t.relname || '.' || a.attname AS column, pg_get_constraintdef(c.oid) AS definition
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]
     WHERE c.contype = 'c' AND cardinality(c.conkey) = 1 AND t.relnamespace = 'strandline'::regnamespace`,
  );
  const lists = rows.flatMap(({ column, definition }) => {
    const values = [...definition.matchAll(/'([a-z_]+)'::text/g)].map(([, value = '']) => value);
    const isList =
      /^CHECK \(\(\w+ (?:= ANY \(ARRAY\[|= '\w+'::text\)\))/.test(definition) || /<@ ARRAY/.test(definition);
    return isList ? [[column, values] as const] : [];
  });
  const compared = lists.flatMap(([column, values]) =>
    [column, ...(SHOWN[column] ?? [])].flatMap((shown) => {
      const declaredValues = listed.get(shown);
      if (declaredValues === undefined) return [];
      expect(new Set(declaredValues), shown).toEqual(new Set(values));
      return [shown];
    }),
  );
  expect(compared.toSorted()).toEqual(
    expect.arrayContaining([
      'calls.state',
      'channels.state',
      'claims.role',
      'completion_claims.role',
      'deliveries.state',
      'discoveries.kind',
      'rules.kinds',
      'rules.state',
      'runs.status',
      'runs.trigger',
      'search_states.state',
      'searches.operation',
      'searches.sensitivity',
      'searches.service_kind',
      'searches.state',
      'spikes.measure',
      'trials.operation',
      'trials.state',
    ]),
  );
});
