import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import type { Id } from '../../src/store/db/database.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();

const MINUTE = 60_000;
const UNREADABLE = { something: 'else' };
const posts = (...wire: unknown[]) => ({ miner_tweets: wire });

/** The first run of a new search, executed with this answer. */
async function firstRun(slug: string, answer: unknown): Promise<Id> {
  const { firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  return answered(firstRunId, answer);
}

/** One more run, a minute later. */
async function nextRun(slug: string, answer: unknown): Promise<Id> {
  world.clock.advance(MINUTE);
  const { runId } = await insertManualRun(world.ctx, slug);
  return answered(runId, answer);
}

async function answered(runId: Id, answer: unknown): Promise<Id> {
  stub.answers(json(answer));
  await executeRun(world.ctx, runId);
  return runId;
}

/** What today's reader makes of the kept answer: another body stands for another reader. */
async function readAgain(runId: Id, answer: unknown) {
  const body = gzipSync(JSON.stringify(answer));
  await rows('UPDATE strandline.responses SET body = $2 WHERE run_id = $1', [runId, body]);
  return (await replayRun(world.ctx, runId)).diff;
}

test('a fixed parser corrects the results of a response, with the snapshots of its time', async () => {
  const author = (followers: number) => ({ id: '71', username: 'writer', followers_count: followers });
  const misread = wirePost('7001', {
    text: 'badly read',
    like_count: 1,
    bookmark_count: null,
    user: author(1),
  });
  const well = wirePost('7001', { text: 'well read', like_count: 10, bookmark_count: 5, user: author(20) });
  const runId = await firstRun('corrected', posts(misread));
  expect((await readAgain(runId, posts(well))).newPosts).toEqual([]);
  expect(
    await rows(`SELECT p.text, p.like_count, p.bookmark_count, a.followers_count
    FROM strandline_analytics.posts p JOIN strandline_analytics.authors a ON a.id = p.author_id WHERE p.external_id = '7001'`),
  ).toEqual([{ text: 'well read', like_count: 10n, bookmark_count: 5n, followers_count: 20n }]);
  expect(
    await rows(`SELECT s.like_count, s.bookmark_count FROM strandline.post_snapshots s
    JOIN strandline.posts p ON p.id = s.post_id WHERE p.external_id = '7001'`),
  ).toEqual([{ like_count: 10n, bookmark_count: 5n }]);
  expect(
    await rows(`SELECT s.followers_count FROM strandline.author_snapshots s
    JOIN strandline.authors a ON a.id = s.author_id WHERE a.external_id = '71'`),
  ).toEqual([{ followers_count: 20n }]);
});

test('parsing an older response again changes nothing that a newer response set', async () => {
  const post = (text: string) => posts(wirePost('7101', { text }));
  const older = await firstRun('older', post('as it was'));
  await nextRun('older', post('edited'));
  await readAgain(older, post('as it was, better read'));
  expect(await rows(`SELECT text FROM strandline.posts WHERE external_id = '7101'`)).toEqual([
    { text: 'edited' },
  ]);
});

test('parsing a response again without changes writes no row', async () => {
  const answer = posts(wirePost('7201'));
  const runId = await firstRun('same', answer);
  const versions = () =>
    rows(`SELECT p.xmin::text AS post, a.xmin::text AS author, s.xmin::text AS snapshot, c.xmin::text AS counters, k.xmin::text AS author_counters
    FROM strandline.posts p
    JOIN strandline.authors a ON a.id = p.author_id JOIN strandline.post_snapshots s ON s.post_id = p.id
    JOIN strandline.post_counters c ON c.post_id = p.id JOIN strandline.author_counters k ON k.author_id = a.id
    WHERE p.external_id = '7201'`);
  const before = await versions();
  await readAgain(runId, answer);
  expect(before).toHaveLength(1);
  expect(await versions()).toEqual(before);
});

test('a run before the baseline that succeeds by a replay is not new either', async () => {
  const failed = [await firstRun('base', UNREADABLE), await nextRun('base', UNREADABLE)];
  const baseline = await nextRun('base', posts(wirePost('7301')));
  const later = await nextRun('base', UNREADABLE);
  await readAgain(failed[0] ?? 0n, posts(wirePost('7302')));
  await readAgain(failed[1] ?? 0n, posts(wirePost('7303')));
  await readAgain(later, posts(wirePost('7304')));
  expect(
    await rows(
      `SELECT d.run_id, d.baseline, r.baseline AS of_run FROM strandline.discoveries d
      JOIN strandline.runs r ON r.id = d.run_id WHERE r.id = ANY($1) ORDER BY 1`,
      [[...failed, baseline, later]],
    ),
  ).toEqual([
    { run_id: failed[0], baseline: true, of_run: true },
    { run_id: failed[1], baseline: true, of_run: true },
    { run_id: baseline, baseline: true, of_run: true },
    { run_id: later, baseline: false, of_run: false },
  ]);
});

test('the first run that succeeds, by a replay, is the baseline, and the next one is not', async () => {
  const runId = await firstRun('revived', UNREADABLE);
  expect(await readAgain(runId, posts(wirePost('7401')))).toMatchObject({ baseline: true });
  const next = await nextRun('revived', posts(wirePost('7402')));
  expect(await rows('SELECT baseline FROM strandline.runs WHERE id = $1', [next])).toEqual([
    { baseline: false },
  ]);
});
