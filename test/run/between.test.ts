/** Faults between the bytes of a paid response and the ledger: the response is found again, and nothing is paid twice. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { Context } from '../../src/monitor/context.ts';
import { replaySpool } from '../../src/monitor/runs/db-outage.ts';
import { trySearch } from '../../src/monitor/runs/trial.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Id } from '../../src/store/db/database.ts';
import { intercepted } from '../intercepted.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
const directory = await mkdtemp(path.join(tmpdir(), 'strandline-between-'));
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(() => {
  stub.requests.length = 0;
});

const KEY = 'k$y-of-the-test';
let last = 0;

async function newRun(): Promise<{ runId: Id; slug: string; data: string }> {
  last += 1;
  const slug = `between-${last}`;
  stub.answers(json({ miner_tweets: [wirePost(`9${last}`, { text: `with ${KEY} in it` })] }));
  const { firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  return { runId: firstRunId, slug, data: path.join(directory, slug) };
}

/** Fails the first statements that store a response, as given. */
function storeFails(error: () => unknown, times: number): Partial<Context> {
  let left = times;
  return {
    db: intercepted(world.db, {
      ofPool: (query, given) => {
        const [statement] = given;
        const name =
          typeof statement === 'object' && statement !== null && 'name' in statement ? statement.name : '';
        if (name !== 'store_response' || left <= 0) return query(...given);
        left -= 1;
        throw error();
      },
    }),
  };
}

const sqlError = (code: string) => Object.assign(new Error(`refused with ${code}`), { code });

const FAULTS: readonly (readonly [string, () => Partial<Context>])[] = [
  ['the database refuses the data', () => storeFails(() => sqlError('22P05'), 10)],
  ['the database refuses a constraint', () => storeFails(() => sqlError('23514'), 10)],
  [
    'a value has another type than expected',
    () => storeFails(() => new TypeError('x is not a function'), 10),
  ],
  ['a text is too long', () => storeFails(() => new RangeError('Invalid string length'), 10)],
];

test.each(FAULTS)(
  '%s: the response is spooled, its call and run have a true end, and it is parsed later',
  async (_, fault) => {
    const { runId, slug, data } = await newRun();
    const ctx: Context = { ...world.ctx, ...fault(), config: { ...world.ctx.config, dataDir: data } };
    expect(await executeRun(ctx, runId)).toMatchObject({ status: 'failed', code: 'internal' });
    expect(await rows('SELECT state FROM strandline.calls WHERE run_id = $1', [runId])).toEqual([
      { state: 'received' },
    ]);
    expect(await readdir(path.join(data, 'spool'))).toHaveLength(1);
    expect(await executeRun(ctx, runId), 'nothing calls again').toBeNull();
    await foundAgain({ runId, slug, data });
  },
);

test('the clock fails once the response is there: the response is stored', async () => {
  const { runId } = await newRun();
  let received = false;
  stub.answers(async (request, response) => {
    received = true;
    await json({ miner_tweets: [wirePost('clock')] })(request, response);
  });
  let thrown = 0;
  const clock = {
    now: () => world.ctx.clock.now(),
    statementTime: () => {
      if (!received || thrown > 0) return world.ctx.clock.statementTime();
      thrown += 1;
      throw new TypeError(`Cannot read properties of null (reading 'getTime')`);
    },
  };
  expect(await executeRun({ ...world.ctx, clock }, runId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(thrown).toBe(1);
});

test('the removal of the key fails: the response is spooled, and the key is removed before it is stored', async () => {
  const { runId, slug, data } = await newRun();
  const bytes = vi.spyOn(Buffer.prototype, 'includes').mockImplementation(function (
    this: Buffer,
    ...given: unknown[]
  ) {
    if (given[0] === 0) throw new RangeError('injected');
    return this.indexOf(given[0] as string) !== -1; // Buffer.includes is that
  });
  const ctx: Context = { ...world.ctx, config: { ...world.ctx.config, dataDir: data } };
  expect(await executeRun(ctx, runId)).toMatchObject({ status: 'failed', code: 'internal' });
  bytes.mockRestore();
  await foundAgain({ runId, slug, data });
});

describe('a trial', () => {
  const tryOnce = (ctx: Context) =>
    trySearch(
      ctx,
      { operation: 'microblog', prompt: 'between', every: '15m' },
      { signal: new AbortController().signal },
    );
  const newestTrial = () =>
    rows('SELECT state, code, http_status FROM strandline.trials ORDER BY id DESC LIMIT 1');

  test('whose key cannot be removed from its response has received and paid for it', async () => {
    stub.answers(json({ miner_tweets: [wirePost('dry', { text: `with ${KEY} in it` })] }));
    const bytes = vi.spyOn(Buffer.prototype, 'includes').mockImplementation(() => {
      throw new RangeError('injected');
    });
    await expect(tryOnce(world.ctx)).rejects.toThrow();
    bytes.mockRestore();
    expect(stub.requests).toHaveLength(1);
    expect(await newestTrial()).toEqual([{ state: 'received', code: 'internal', http_status: 200 }]);
  });

  test('whose call cannot be closed shows what it received, without the key', async () => {
    stub.answers(json({ miner_tweets: [wirePost('dry', { text: `with ${KEY} in it` })] }));
    const db = intercepted(world.db, {
      ofPool: (query, given) => {
        if (typeof given[0] === 'string' && given[0].includes('UPDATE strandline.trials SET state'))
          throw sqlError('22P05');
        return query(...given);
      },
    });
    const { posts } = await tryOnce({ ...world.ctx, db });
    expect(JSON.stringify(posts)).toContain('with [key] in it');
    expect(await newestTrial()).toEqual([{ state: 'sent', code: null, http_status: null }]);
  });
});

test('the process is told to stop while the response cannot be stored: it is spooled, and read without another call', async () => {
  const { runId, data } = await newRun();
  const stopping = new AbortController();
  const fault = storeFails(() => {
    stopping.abort();
    return sqlError('57P01');
  }, 1);
  const ctx: Context = { ...world.ctx, ...fault, config: { ...world.ctx.config, dataDir: data } };
  expect(await executeRun(ctx, runId, stopping.signal)).toMatchObject({ status: 'released' });
  expect(await replaySpool({ ...ctx, db: world.db })).toBe(0);
  await rows(`UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 hour' WHERE id = $1`, [
    runId,
  ]);
  await world.scanned();
  expect(await executeRun({ ...world.ctx, worker: 'next' }, runId)).toMatchObject({
    status: 'succeeded',
    posts: 1,
  });
  expect(stub.requests).toHaveLength(1);
});

test('a failed call whose end cannot be recorded is closed as unknown with its run', async () => {
  const { runId } = await newRun();
  stub.answers(json({ error: 'no' }, 400));
  const db = intercepted(world.db, {
    ofPool: (query, given) => {
      if (typeof given[0] === 'string' && given[0].includes('kept AS')) throw sqlError('22003');
      return query(...given);
    },
  });
  expect(await executeRun({ ...world.ctx, db }, runId)).toMatchObject({ status: 'failed' });
  expect(await rows('SELECT state, code FROM strandline.calls WHERE run_id = $1', [runId])).toEqual([
    { state: 'unknown', code: 'unknown_outcome' },
  ]);
});

/** Without the fault, the response is stored, without the key, and parsed; the run succeeds after all. */
async function foundAgain({ runId, slug, data }: { runId: Id; slug: string; data: string }): Promise<void> {
  expect(await replaySpool({ ...world.ctx, config: { ...world.ctx.config, dataDir: data } })).toBe(0);
  await executeRun(world.ctx, runId);
  expect(stub.requests).toHaveLength(1);
  expect(
    await rows(
      `SELECT p.text FROM strandline.post_sightings g JOIN strandline.posts p ON p.id = g.post_id
       JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1`,
      [slug],
    ),
  ).toEqual([{ text: 'with [key] in it' }]);
}
