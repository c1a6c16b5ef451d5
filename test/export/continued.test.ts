/** Exports that continue another: each row that is new or changed, however its writers overlap with the exports. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { makeStand, type Stand } from '../cli/stand.ts';
import { until } from '../processes.ts';
import { makeDirectory } from '../temporary.ts';
import { decode, type Row } from './decode.ts';
import { BIG, makeHistory, TEXTS } from './history.ts';
import { readPackage } from './table-schema.ts';

let stand: Stand;
let home: string;
let out: string;
beforeAll(async () => {
  stand = await makeStand();
  await makeHistory(stand.world);
  // The library that reads packages reads an integer as a number.
  await query('UPDATE strandline.post_counters SET like_count = 1 WHERE like_count > 1');
  home = await makeDirectory();
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await stand.close();
});
beforeEach(async () => {
  out = path.join(home, 'out');
  await rm(out, { recursive: true, force: true });
  await othersHaveEnded();
});

const query = async (sql: string, values: unknown[] = []) =>
  (await stand.world.db.pool.query<Row>(sql, values)).rows;
const run = async (...argv: string[]) => {
  const { code, stderr } = await stand.run(['export', ...argv]);
  return { code, stderr };
};
const exported = async (...argv: string[]) => {
  const { code, stderr } = await run(...argv, '--out', `${out}/`);
  expect(code, stderr).toBe(0);
};
const idsIn = async (file: string, name = 'id') =>
  (await decode('csv', await readFile(path.join(out, file)))).map((row) => row[name]);
/**
 * An export begins where the oldest transaction was open, and what had committed since comes again; transactions are
 * numbered for the whole server, so one of another database counts.
 */
const othersHaveEnded = async () => {
  const [now] = await query('SELECT pg_current_xact_id()::text AS id');
  await until('transactions of other databases have ended', async () => {
    const [oldest] = await query('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS id');
    return BigInt(String(oldest?.['id'])) > BigInt(String(now?.['id']));
  });
};
const POST = `INSERT INTO strandline.posts (service_id, external_id, text, hashtags, mentions, urls, media, entities, first_seen_at, observed_at)
  SELECT id, $1, 'late', '{}', '{}', '{}', '[]', '{}', '2026-01-01', '2026-01-01' FROM strandline.services WHERE name = 'hosted' RETURNING id::text`;

it('writes what is new or changed into new files, and describes all of them', async () => {
  await exported('all');
  const before = await readdir(out);
  // A response of the past that is saved now, and a counter that changed.
  const [post] = await query(POST, ['continued-1']);
  await query(`UPDATE strandline.post_counters SET like_count = 7 WHERE post_id = $1`, [BIG + 4n]);
  const unchanged = await readFile(path.join(out, 'posts.csv'));
  await othersHaveEnded();
  await exported('all', '--continue');
  expect(await readFile(path.join(out, 'posts.csv'))).toEqual(unchanged);
  expect(new Set(await idsIn('posts.2.csv'))).toEqual(new Set([post?.['id'], String(BIG + 4n)]));
  // Derived views come whole, others only with changes.
  const added = (await readdir(out)).filter((name) => !before.includes(name));
  expect(added).toContain('post_growth.2.csv');
  expect(added).not.toContain('links.2.csv');
  await exported('all', '--continue');
  expect(await readdir(out)).not.toContain('posts.3.csv');

  const resources = await readPackage(out);
  expect(resources.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['posts', 'posts-2', 'post_growth-3']),
  );
  for (const { name, rows, cast } of resources) expect(cast, name).toHaveLength(rows);
  const manifest = await readFile(path.join(out, 'datapackage.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({
    resources: expect.arrayContaining([
      expect.objectContaining({ name: 'posts', strandline: { resource: 'posts', part: 1, contents: 'all' } }),
      expect.objectContaining({
        name: 'posts-2',
        strandline: { resource: 'posts', part: 2, contents: 'changes' },
      }),
      expect.objectContaining({
        name: 'post_growth-2',
        strandline: { resource: 'post_growth', part: 2, contents: 'all' },
      }),
    ]),
  });
});

it('loses no row of a transaction that is open while an export reads', async () => {
  const writer = await stand.world.db.pool.connect();
  onTestFinished(() => writer.release());
  await writer.query('BEGIN');
  // Numbered below whatever commits before the export.
  const open = await writer.query<{ id: string }>(POST, ['continued-open']);
  await writer.query('SAVEPOINT inner_part');
  const inner = await writer.query<{ id: string }>(POST, ['continued-inner']);
  const [early] = await query(POST, ['continued-early']);
  await exported('posts');
  expect(await idsIn('posts.csv')).toContain(early?.['id']);
  await writer.query('COMMIT');
  await othersHaveEnded();
  await exported('posts', '--continue');
  const ids = await idsIn('posts.2.csv');
  // The early one may come again, because it was written after the open transaction had begun.
  expect(ids).toEqual(expect.arrayContaining([open.rows[0]?.id, inner.rows[0]?.id]));
  await exported('posts', '--continue');
  expect(await readdir(out)).not.toContain('posts.3.csv');
});

it('keeps the filter and the format, and has what a search found anew though it was stored before', async () => {
  await exported('posts', '--search', 'ferry', '--format', 'ndjson', '--since', '2000-01-01');
  const ferry = TEXTS.findIndex((_text, n) => n % 2 === 1);
  await query(
    `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at)
     SELECT id, $1, 1, now() FROM strandline.searches WHERE slug = 'ferry'`,
    [BIG + BigInt(ferry)],
  );
  await query(`UPDATE strandline.post_counters SET like_count = 8 WHERE post_id = $1`, [BIG + 3n]);
  await exported('posts', '--continue');
  const rows = await decode('ndjson', await readFile(path.join(out, 'posts.2.ndjson')));
  expect(rows.map(({ id }) => id)).toEqual([String(BIG + BigInt(ferry))]);
});

it.each([
  ['nothing to continue', ['all', '--continue', '--out', 'OUT'], 'export without --continue first', 1],
  ['a filter', ['all', '--continue', '--out', 'OUT', '--topic', 'tram'], 'topic (--topic): got', 2],
  ['no folder', ['all', '--continue'], 'out (--out): got nothing; the folder of the export', 2],
])('refuses %s', async (_name, argv, words, code) => {
  const result = await run(...argv.map((word) => (word === 'OUT' ? out : word)));
  expect(result.stderr).toContain(words);
  expect(result.code).toBe(code);
});

it('refuses fewer resources than the manifest has, and a cursor of another database', async () => {
  await exported('all');
  const fewer = await run('posts', '--continue', '--out', out);
  expect(fewer).toMatchObject({ code: 1, stderr: expect.stringContaining('continue it with export all') });
  const manifest = path.join(out, 'datapackage.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace(/"cursor": "\d+/, '"cursor": "1'));
  const other = await run('all', '--continue', '--out', out);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('is of another database') });
  await writeFile(manifest, text.replace(/"cursor": "(.*)\.\d+"/, '"cursor": "$1.99999999999"'));
  const future = await run('all', '--continue', '--out', out);
  expect(future).toMatchObject({ code: 1, stderr: expect.stringContaining('too old to be continued') });
});

it('exports everything again after a search with older rows was moved into the topic, or out of it', async () => {
  const add = (slug: string, topic: string) =>
    stand.run([
      'search',
      'add',
      slug,
      '--topic',
      topic,
      '--operation',
      'microblog',
      '--prompt',
      'p',
      '--every',
      '15m',
    ]);
  await add('moves-stays', 'moves');
  await add('moves-other', 'moves-elsewhere');
  const contents = async () =>
    JSON.parse(await readFile(path.join(out, 'datapackage.json'), 'utf8')).resources.map(
      (file: { strandline: { resource: string; part: number; contents: string } }) =>
        `${file.strandline.part} ${file.strandline.contents}`,
    );
  const move = (topic: string) =>
    query(
      `UPDATE strandline.searches SET topic_id = (SELECT id FROM strandline.topics WHERE slug = $1) WHERE slug = 'moves-other'`,
      [topic],
    );
  stand.world.clock.advance(60_000);
  await exported('posts', '--topic', 'moves');
  const own = await idsIn('posts.csv');
  await move('moves');
  stand.world.clock.advance(60_000);
  await exported('posts', '--continue');
  expect(await contents()).toEqual(['1 all', '2 all']);
  expect(await idsIn('posts.2.csv')).toEqual(expect.arrayContaining(own));
  // A search that is new since is a continuation.
  stand.world.clock.advance(60_000);
  await add('moves-new', 'moves');
  await query(`UPDATE strandline.post_counters SET like_count = 2 WHERE post_id = (SELECT min(post_id) FROM strandline.post_sightings g
    JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = 'moves-stays')`);
  await othersHaveEnded();
  await exported('posts', '--continue');
  await move('moves-elsewhere');
  await exported('posts', '--continue');
  expect((await contents()).filter((part: string) => part !== '3 changes')).toEqual(
    expect.arrayContaining(['1 all', '2 all']),
  );
  expect((await contents()).at(-1)).toMatch(/ all$/);
});
