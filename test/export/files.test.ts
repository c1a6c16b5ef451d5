import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exportFiles } from '../../src/monitor/export/export-files.ts';
import { openTarget, writePendingFile } from '../../src/monitor/export/export-target.ts';
import { type Format, FORMATS } from '../../src/monitor/export/row-encoders.ts';
import { editSearch } from '../../src/monitor/topics/save-search.ts';
import { RESOURCES } from '../../src/store/export/export-resources.ts';
import type { ExportFilter } from '../../src/store/export/export-select.ts';
import { VERSION } from '../../src/config/version.ts';
import { makeDirectory } from '../temporary.ts';
import { makeWorld, START, type World } from '../world.ts';
import { decode } from './decode.ts';
import { makeHistory, TEXTS } from './history.ts';
import { readPackage } from './table-schema.ts';

const packageShape = z.looseObject({
  profile: z.string(),
  created: z.string(),
  sources: z.array(z.object({ title: z.string() })),
  resources: z.array(
    z.looseObject({
      name: z.string(),
      path: z.string(),
      bytes: z.number(),
      hash: z.string(),
      rows: z.number(),
      schema: z.object({
        fields: z.array(z.looseObject({ name: z.string(), type: z.string(), description: z.string() })),
        missingValues: z.array(z.string()),
        primaryKey: z.array(z.string()).optional(),
      }),
    }),
  ),
  strandline: z.looseObject({
    version: z.string(),
    range: z.unknown(),
    service_kinds: z.array(z.string()),
    searches: z.array(
      z.looseObject({
        slug: z.string(),
        versions: z.array(z.looseObject({ version: z.number(), since: z.string(), prompt: z.string() })),
        runs: z.record(z.string(), z.number()),
        coverage: z.object({
          from: z.string(),
          until: z.string(),
          observed_seconds: z.number(),
          share: z.number().nullable(),
        }),
      }),
    ),
  }),
});

let world: World;
let home: string;
let folder: string;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  await makeHistory(world);
  world.clock.advance(60_000);
  await editSearch(world.ctx, 'ferry', { prompt: 'about ferries' });
  home = await makeDirectory();
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await world.close();
});
beforeEach(async () => {
  folder = path.join(home, 'out');
  await rm(folder, { recursive: true, force: true });
});

async function exportAll(format: Format, filter: ExportFilter = {}) {
  const target = await openTarget(folder, true);
  const { manifest } = await exportFiles(world.ctx, {
    resources: RESOURCES,
    filter,
    encoding: { format },
    target,
  });
  return packageShape.parse(JSON.parse(await readFile(manifest, 'utf8')));
}

describe('a manifest', () => {
  it.each(FORMATS)('of %s has the bytes, hashes, rows and columns of its files', async (format) => {
    const { resources, profile } = await exportAll(format);
    expect((await readdir(folder)).sort()).toEqual(
      [...RESOURCES.map((name) => `${name}.${format}`), 'datapackage.json'].sort(),
    );
    expect(profile).toBe(format === 'csv' ? 'tabular-data-package' : 'data-package');
    for (const one of resources) {
      const bytes = await readFile(path.join(folder, one.path));
      const rows = await decode(format, bytes);
      expect([one.bytes, one.hash, one.rows]).toEqual([
        bytes.length,
        `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        rows.length,
      ]);
      if (rows[0] !== undefined)
        expect(one.schema.fields.map(({ name }) => name)).toEqual(Object.keys(rows[0]));
      expect(one.schema.fields.filter(({ description }) => description === '')).toEqual([]);
    }
    expect(resources.filter(({ rows }) => rows > 0).length).toBeGreaterThan(5);
    // As numbers, they would be rounded by readers that follow the schema.
    const ids = resources.flatMap(({ schema }) =>
      schema.fields.filter(({ name }) => /(?:^|_)id$/.test(name)),
    );
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter(({ type }) => type !== 'string')).toEqual([]);
    const posts = resources.find(({ name }) => name === 'posts')?.schema;
    expect(posts?.fields.find(({ name }) => name === 'like_count')).toEqual({
      name: 'like_count',
      type: 'integer',
      description: 'Likes when last observed; null when unknown.',
    });
    expect(posts?.primaryKey).toEqual(['id']);
  });

  it('describes the origin of the rows: search versions, runs, coverage and program version', async () => {
    const range = {
      data: 'real' as const,
      since: new Date('2026-11-21T00:00Z'),
      until: new Date('2026-11-21T02:00Z'),
    };
    const { created, sources, strandline } = await exportAll('csv', range);
    expect(created).toBe(world.clock.now().toISOString());
    expect(sources).toEqual([{ title: 'hosted: a hosted search service' }]);
    expect(strandline).toMatchObject({
      version: VERSION,
      range: { since: '2026-11-21T00:00:00.000Z', until: '2026-11-21T02:00:00.000Z' },
      service_kinds: ['hosted'],
    });
    const [ferry, tram] = strandline.searches;
    expect(ferry?.versions.map(({ version, since, prompt }) => [version, since, prompt])).toEqual([
      [1, START, 'about ferry'],
      [2, '2026-11-21T12:01:00.000Z', 'about ferries'],
    ]);
    // 00:00 to 00:30 by two overlapping runs, and 00:45 to 01:00, of two hours.
    expect(ferry?.coverage).toEqual({
      from: '2026-11-21T00:00:00.000Z',
      until: '2026-11-21T02:00:00.000Z',
      observed_seconds: 45 * 60,
      share: 0.375,
    });
    expect(ferry?.runs).toEqual({ succeeded: 3 });
    // No run could observe it, which differs from "nothing was observed".
    expect([tram?.runs, tram?.coverage.share]).toEqual([{}, null]);
  });

  it('counts only the selected range and searches', async () => {
    const since = new Date('2026-11-21T00:10Z');
    const until = new Date('2026-11-21T00:50Z');
    const { strandline } = await exportAll('csv', { since, until, searches: ['ferry'] });
    expect(
      strandline.searches.map(({ slug, runs, coverage }) => [slug, runs, coverage.observed_seconds]),
    ).toEqual([['ferry', { succeeded: 2 }, 25 * 60]]);
  });

  it('of a single file is written next to it', async () => {
    await mkdir(folder);
    const target = await openTarget(path.join(folder, 'mine.csv'), false);
    await exportFiles(world.ctx, {
      resources: ['links'],
      filter: {},
      encoding: { format: 'csv' },
      target,
    });
    expect((await readdir(folder)).sort()).toEqual(['mine.csv', 'mine.csv.datapackage.json']);
    expect((await stat(path.join(folder, 'mine.csv'))).mode & 0o777).toBe(0o600);
  });
});

describe('a failure', () => {
  const old = 'what was there before';
  beforeEach(async () => {
    await mkdir(folder);
    await writeFile(path.join(folder, 'posts.csv'), old);
  });
  const left = async () => [await readdir(folder), await readFile(path.join(folder, 'posts.csv'), 'utf8')];

  it('in the last of several resources leaves everything unchanged', async () => {
    // A type that no format supports.
    await world.db.pool.query(
      `CREATE VIEW strandline_analytics.saved AS SELECT * FROM strandline_analytics.volume_hourly;
       ALTER VIEW strandline_analytics.volume_hourly RENAME TO kept;
       CREATE VIEW strandline_analytics.volume_hourly AS SELECT '10.0.0.1'::inet AS search_id, 1 AS bucket_at`,
    );
    try {
      await expect(exportAll('csv')).rejects.toThrow('inet');
    } finally {
      await world.db.pool.query(
        `DROP VIEW strandline_analytics.volume_hourly, strandline_analytics.saved;
         ALTER VIEW strandline_analytics.kept RENAME TO volume_hourly`,
      );
    }
    expect(await left()).toEqual([['posts.csv'], old]);
  });

  it('in the middle of a file leaves everything unchanged', async () => {
    const broken = async function* () {
      yield Buffer.from('half of it');
      expect(await readdir(folder)).toHaveLength(2);
      throw new Error('broken');
    };
    await expect(writePendingFile(path.join(folder, 'posts.csv'), broken())).rejects.toThrow('broken');
    expect(await left()).toEqual([['posts.csv'], old]);
  });

  it('or an interruption leaves everything unchanged', async () => {
    const stopping = new AbortController();
    const target = await openTarget(folder, true);
    const work = exportFiles(world.ctx, {
      resources: RESOURCES,
      filter: {},
      encoding: { format: 'csv' },
      target,
      signal: stopping.signal,
    });
    stopping.abort(new Error('stopped'));
    await expect(work).rejects.toThrow('stopped');
    expect(await left()).toEqual([['posts.csv'], old]);
  });

  it('of the disk is explained', async () => {
    const nowhere = path.join(folder, 'posts.csv', 'x.csv');
    await expect(writePendingFile(nowhere, [])).rejects.toThrow(/x\.csv cannot be written \(ENOTDIR\)/);
  });

  it.each([
    ['link', 'posts.csv', 'a symbolic link to posts.csv; name that file itself'],
    ['dangling', 'nowhere', 'a symbolic link to nowhere, which does not exist'],
  ])('%s is not followed and not replaced', async (name, leadsTo, message) => {
    const link = path.join(folder, name);
    await symlink(leadsTo, link);
    await expect(openTarget(link, false)).rejects.toThrow(message);
    await expect(openTarget(`${link}/`, true)).rejects.toThrow(message);
  });
});

it('an existing file is replaced atomically', async () => {
  await exportAll('csv');
  const before = await readFile(path.join(folder, 'posts.csv'));
  await exportAll('csv', { searches: ['tram'] });
  const after = await readFile(path.join(folder, 'posts.csv'));
  expect(after.length).toBeLessThan(before.length);
  await exportAll('csv');
  expect((await readFile(path.join(folder, 'posts.csv'))).equals(before)).toBe(true);
  expect(await decode('csv', before)).toHaveLength(TEXTS.length);
});

it('a CSV package of texts that are hard to pass on is what its own schema says', async () => {
  // The library reads an integer as a number.
  const counter = 'strandline.post_counters SET like_count = like_count';
  await world.db.pool.query(`UPDATE ${counter} - 3`);
  try {
    const target = await openTarget(folder, true);
    const encoding = { format: 'csv', raw: true } as const;
    await exportFiles(world.ctx, { resources: RESOURCES, filter: {}, encoding, target });
    const posts = (await readPackage(folder)).find(({ name }) => name === 'posts');
    expect(posts?.cast.map(({ text }) => text)).toEqual(TEXTS.map((text) => (text === '' ? null : text)));
    expect(posts?.cast[5]?.['created_at']).toEqual(new Date('2026-11-21T00:05:00.007Z'));
    expect(posts?.cast[5]?.['hashtags']).toEqual([TEXTS[5].slice(0, 20), 'tag']);
  } finally {
    await world.db.pool.query(`UPDATE ${counter} + 3`);
  }
});

describe('a manifest of other files', () => {
  const exportOne = async (resource: 'links' | 'posts') =>
    exportFiles(world.ctx, {
      resources: [resource],
      filter: {},
      encoding: { format: 'csv' },
      target: await openTarget(`${folder}/`, false),
    });

  it('is not replaced', async () => {
    await exportAll('parquet');
    const before = await readFile(path.join(folder, 'datapackage.json'), 'utf8');
    const files = await readdir(folder);
    await expect(exportOne('links')).rejects.toThrow(
      /datapackage.json describes other files \(posts.parquet, .*\); export to another folder, or name a file: .*links.csv/,
    );
    expect(await readdir(folder)).toEqual(files);
    expect(await readFile(path.join(folder, 'datapackage.json'), 'utf8')).toBe(before);
  });

  it('is not replaced if it is of another program', async () => {
    await mkdir(folder);
    await writeFile(path.join(folder, 'datapackage.json'), '{"name": "theirs"}');
    await expect(exportOne('links')).rejects.toThrow('describes other files; export to another folder');
  });

  it('is replaced with the files that it describes', async () => {
    await exportOne('links');
    await exportOne('links');
    await expect(exportOne('posts')).rejects.toThrow('describes other files (links.csv)');
  });
});
