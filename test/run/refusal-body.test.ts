/** The body of a refused call is kept like a response: bounded, without the key, and never parsed. */
import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { loadNewestResponse } from '../../src/store/runs/responses.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
const { ctx } = world;
const KEY = ctx.config.hosted?.key ?? '';

async function fail(slug: string, status: number, text: string) {
  const { firstRunId: id } = await createSearch(ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  stub.answers(
    (_request, response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
  );
  await executeRun(ctx, id);
  return { id, body: (await loadNewestResponse(world.db, id))?.body };
}

test('the body of an error is stored without the key, and is not parsed again', async () => {
  expect(KEY).not.toBe('');
  const { id, body } = await fail('refused', 400, `no: ${KEY} is wrong`);
  expect(body?.toString()).toBe('no: [key] is wrong');
  expect(
    await rows(
      'SELECT http_status, read_at IS NOT NULL AS read FROM strandline.responses WHERE run_id = $1',
      [id],
    ),
  ).toEqual([{ http_status: 400, read: true }]);
  await expect(replayRun(ctx, id)).rejects.toThrow(`run ${id} got HTTP 400, an error without results`);
});

test('a long body is cut at 64 kB; an empty one is not stored', async () => {
  const { body } = await fail('long', 400, 'x'.repeat(200_000));
  expect(body?.byteLength).toBe(65_536);
  expect((await fail('empty', 400, '')).body).toBeUndefined();
});

test('the response of a later call is the one that is shown', async () => {
  const { id } = await fail('later', 400, 'no');
  stub.answers(json({ miner_tweets: [wirePost('1')] }));
  const { runId } = await insertManualRun(ctx, 'later');
  await executeRun(ctx, runId);
  expect((await loadNewestResponse(world.db, runId))?.httpStatus).toBe(200);
  expect((await loadNewestResponse(world.db, id))?.httpStatus).toBe(400);
});
