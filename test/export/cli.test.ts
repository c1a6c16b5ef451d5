import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RESOURCES } from '../../src/store/export/export-resources.ts';
import { makeStand, type Stand } from '../cli/stand.ts';
import { makeDirectory } from '../temporary.ts';
import { decode } from './decode.ts';
import { makeHistory, TEXTS } from './history.ts';

let stand: Stand;
let home: string;
let out: string;
beforeAll(async () => {
  stand = await makeStand();
  await makeHistory(stand.world);
  home = await makeDirectory();
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await stand.close();
});
beforeEach(async () => {
  out = path.join(home, 'out');
  await rm(out, { recursive: true, force: true });
});

it('prints one resource and nothing else', async () => {
  const { code, stdout, stderr } = await stand.run([
    'export',
    'posts',
    '--search',
    'ferry',
    '--search',
    'tram',
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(await decode('csv', Buffer.from(stdout))).toHaveLength(TEXTS.length);
  const dash = ['export', 'posts', '--search', 'ferry', '--search', 'tram', '--out', '-'];
  expect((await stand.run(dash)).stdout).toBe(stdout);
  const ndjson = await stand.run(['export', 'volume', '--format', 'ndjson', '--topic', 'tram']);
  expect(JSON.parse(ndjson.stdout)).toMatchObject({ search: 'tram', posts: 7, coverage: 0.25 });
});

it('reports that there are no rows next to complete output', async () => {
  const none = ['export', 'posts', '--until', '2001-01-01'];
  const { code, stdout, stderr } = await stand.run(none);
  expect([code, stderr]).toEqual([0, 'No rows.\n']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
});

it('writes all resources into a folder and lists them', async () => {
  const { code, stdout, stderr } = await stand.run(['export', 'all', '--format', 'parquet', '--out', out]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(`posts.parquet: ${TEXTS.length} rows, `);
  expect(stderr.trimEnd().split('\n')).toHaveLength(RESOURCES.length + 1);
  expect(await readdir(out)).toHaveLength(RESOURCES.length + 1);
});

it('takes the format from the file name', async () => {
  const file = `${out}/`;
  await stand.run(['export', 'links', '--out', file]);
  await stand.run(['export', 'links', '--out', path.join(out, 'links.ndjson')]);
  expect((await readdir(out)).sort()).toEqual([
    'datapackage.json',
    'links.csv',
    'links.ndjson',
    'links.ndjson.datapackage.json',
  ]);
  expect(await decode('ndjson', await readFile(path.join(out, 'links.ndjson')))).toHaveLength(2);
});

it('reports a missing folder, and does not create one for a file', async () => {
  const nowhere = path.join(out, 'nope');
  const { code, stdout, stderr } = await stand.run(['export', 'posts', '--out', path.join(nowhere, 'x.csv')]);
  expect([code, stdout, stderr]).toEqual([1, '', `error: the folder ${nowhere} does not exist\n`]);
});

describe('exits with 2 for', () => {
  it.each([
    [
      'Parquet on stdout',
      ['posts', '--format', 'parquet'],
      'out (--out): got nothing; a file or folder: Parquet',
    ],
    ['all of it on stdout', ['all'], 'a folder: "all" writes several files'],
    ['all of it to -', ['all', '--out', '-'], 'out (--out): got "-"; a folder'],
    [
      'an earlier export that is none',
      ['posts', '--since', './nothing/'],
      'since (--since): got "./nothing/"; a time, or',
    ],
    ['another resource', ['audit_log'], 'one of posts, engagement'],
    ['another format', ['posts', '--format', 'xlsx'], 'one of csv, ndjson, parquet'],
    ['an end before its beginning', ['posts', '--since', '1d', '--until', '2d'], 'until (--until): got "2d"'],
    ['a time that is none', ['posts', '--until', 'soon'], 'until (--until): got "soon"'],
    ['raw NDJSON', ['posts', '--format', 'ndjson', '--raw'], 'only with --format csv'],
  ])('%s', async (_name, argv, words) => {
    const { code, stdout, stderr } = await stand.run(['export', ...argv]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('CSV on a terminal', async () => {
    const { code, stdout, stderr } = await stand.run(['export', 'posts'], { isTTY: true });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('raw CSV could send control sequences to the terminal');
  });
});

it.each([
  [['--search', 'nothing'], 'there is no search "nothing"; see: strandline search list'],
  [['--topic', 'nothing'], 'there is no topic "nothing"'],
])('a filter by %j that matches nothing exits with 1 and writes nothing', async (filter, words) => {
  const { code, stderr } = await stand.run(['export', 'posts', ...filter, '--out', `${out}/`]);
  expect(code).toBe(1);
  expect(stderr).toContain(words);
  expect(await readdir(out)).toEqual([]);
});

describe('a reader of stdout', () => {
  it('that closes the pipe is not an error, and ends the statement', async () => {
    const stdout = new PassThrough();
    stdout.once('data', () => stdout.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' })));
    const { code, stderr } = await stand.run(['export', 'engagement'], { stdout });
    expect([code, stderr]).toEqual([0, '']);
    await vi.waitFor(async () => {
      const { rows } = await stand.world.db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = 'strandline export' AND datname = current_database()`,
      );
      expect(rows).toEqual([]);
    });
  });

  it('that fails is an error', async () => {
    const stdout = new Writable({
      write: (_piece, _encoding, done) => done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    });
    const { code, stderr } = await stand.run(['export', 'posts'], { stdout });
    expect([code, stderr]).toEqual([1, 'error: cannot write to stdout: no space left\n']);
  });
});
