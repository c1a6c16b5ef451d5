/** Every view of the SQL contract as a resource, over a history in which each search, completion and link has several runs. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFiles } from '../../src/monitor/export/export-files.ts';
import { openTarget } from '../../src/monitor/export/export-target.ts';
import { type Format, FORMATS } from '../../src/monitor/export/row-encoders.ts';
import {
  EXCLUDED_VIEWS,
  type Resource,
  RESOURCE_SOURCES,
  RESOURCES,
  viewName,
} from '../../src/store/export/export-resources.ts';
import type { ExportFilter } from '../../src/store/export/export-select.ts';
import { type History, liveHistory } from '../house/questions/history.ts';
import { makeDirectory } from '../temporary.ts';
import { asRead, asSaid, decode, type Row } from './decode.ts';
import { readPackage } from './table-schema.ts';

let history: History;
let home: string;
let slugs: string[];
beforeAll(async () => {
  history = await liveHistory();
  home = await makeDirectory();
  slugs = (await query<{ slug: string }>('SELECT slug FROM strandline_analytics.searches')).map(
    ({ slug }) => slug,
  );
  for (const format of FORMATS) await exportAll(format, format);
  await exportAll('since', 'ndjson', { since: new Date(0) });
  await exportAll('until', 'ndjson', { until: new Date(0) });
  await exportAll('searches', 'ndjson', { searches: slugs });
  for (const slug of slugs) await exportAll(`of ${slug}`, 'ndjson', { searches: [slug] });
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await history.close();
});

const query = async <R extends Row>(sql: string): Promise<R[]> =>
  (await history.world.db.pool.query<R>(sql)).rows;

/** All resources from one snapshot, into a folder. */
const exportAll = async (folder: string, format: Format, filter: Omit<ExportFilter, 'data'> = {}) =>
  exportFiles(history.world.ctx, {
    resources: RESOURCES,
    filter: { ...filter },
    encoding: { format, raw: format === 'csv' },
    target: await openTarget(path.join(home, folder), true),
  });

const readExported = async (folder: string, format: Format, resource: Resource) =>
  decode(format, await readFile(path.join(home, folder, `${resource}.${format}`)));

it('every view of the SQL contract is a resource, or is excluded with a reason', async () => {
  const views = await query<{ view: string }>(
    'SELECT DISTINCT view FROM strandline_analytics.contract_columns',
  );
  const named = [...RESOURCES.map(viewName), ...Object.keys(EXCLUDED_VIEWS)];
  expect(named.sort()).toEqual(views.map(({ view }) => view).sort());
});

describe.each(RESOURCES)('%s', (resource) => {
  const { key, isPrimary } = RESOURCE_SOURCES[resource];
  let rows: Row[];
  beforeAll(async () => {
    rows = await query(`SELECT * FROM strandline_analytics.${viewName(resource)} ORDER BY ${key.join(', ')}`);
  });

  it('has a key that no two rows share', async () => {
    const columns = key.join(', ');
    const shared = await query(
      `SELECT ${columns} FROM strandline_analytics.${viewName(resource)} GROUP BY ${columns}
       HAVING count(*) > 1 OR (${isPrimary ?? true} AND (${columns}) IS NULL)`,
    );
    expect(shared).toEqual([]);
  });

  it.each(FORMATS)('is in %s as its view, row for row', async (format) => {
    const expected = rows.map((row) => asRead(format, row));
    const read = await readExported(format, format, resource);
    expect(read.map((row, i) => asSaid(row, expected[i] ?? {}))).toEqual(expected);
  });

  it('can be selected by searches and by time', async () => {
    const { of, time } = RESOURCE_SOURCES[resource];
    const count = async (folder: string) => (await readExported(folder, 'ndjson', resource)).length;
    const all = await count('ndjson');
    expect(await count('since')).toBe(all);
    expect(await count('until')).toBe(time === undefined ? all : 0);
    const found = await count('searches');
    expect(found).toBeLessThanOrEqual(all);
    if (of?.scope !== 'search') return;
    const parts = await Promise.all(slugs.map((slug) => count(`of ${slug}`)));
    expect(parts.reduce((sum, n) => sum + n, 0)).toBe(found);
  });
});

it('a CSV package is what its own schema says, row for row', async () => {
  const resources = await readPackage(path.join(home, 'csv'));
  expect(resources.map(({ name }) => name)).toEqual(RESOURCES);
  for (const { name, rows, cast } of resources) expect(cast, name).toHaveLength(rows);
  const posts = resources.find(({ name }) => name === 'posts')?.cast ?? [];
  expect(posts.map((row) => row['observed_at'])).toEqual(
    (await query('SELECT observed_at FROM strandline_analytics.posts ORDER BY id')).map(
      (row) => row['observed_at'],
    ),
  );
});
