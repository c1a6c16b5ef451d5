/** The view of requests to a language model, of the counters that the search service writes. */
import { afterAll, expect, test } from 'vitest';
import { createServicePorts } from '../../src/app/service-ports.ts';
import { DAY } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type LanguageModel, ModelFailed } from '../../src/service/answering/language-model.ts';
import { createMeteredModel } from '../../src/service/answering/metered-model.ts';
import type { ModelPurpose } from '../../src/model/model-use.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
const db = openDatabase(database.url, { log: createLogger('silent') });
const clock = steppedClock('2026-11-21T12:00:00.000Z');
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Says what it cost, unless it is asked to check; fails to plan. */
const stub: LanguageModel = {
  name: 'stand-in',
  async ask({ purpose, onTokens }) {
    if (purpose === 'plan') throw new ModelFailed('status', 500);
    if (purpose === 'write') onTokens?.({ input: 3_000_000_000, output: 0 });
    return '{}';
  },
};

test('has a row for each purpose and day, unknown tokens as null, and no row without requests', async () => {
  const { allowances } = createServicePorts(db, clock);
  const model = createMeteredModel(stub, {
    allowances,
    clock,
    callsPerDay: { plan: 9, write: 2, check: 9, judge: 9, brief: 9, translate: 9 },
  });
  const ask = (purpose: ModelPurpose) =>
    model
      .ask({ purpose, system: '', user: '', schema: {} }, new AbortController().signal)
      .catch((error: unknown) => error);
  await allowances.take({ source: 'x', period: '2026-11-21', most: 5 }, 1);
  await ask('plan');
  await ask('write');
  await ask('write');
  expect(await ask('write')).toMatchObject({ reason: 'used_up' });
  clock.advance(DAY);
  await ask('check');
  const read = async () =>
    (
      await db.pool.query<Record<string, unknown>>(
        'SELECT * FROM strandline_analytics.model_calls ORDER BY day, purpose',
      )
    ).rows;
  const use = async () => (await model.use()).map(({ purpose, calls }) => [purpose, calls]);
  await expect.poll(async () => (await read())[0]?.['failed']).toBe(1n);
  // Tokens are counted beside the response.
  await expect.poll(async () => (await read())[1]?.['calls_with_tokens']).toBe(2n);
  await expect.poll(async () => (await read())[1]?.['input_tokens']).toBe(6_000_000_000n);
  const rows = await read();
  expect(rows).toMatchObject([
    {
      purpose: 'plan',
      day: new Date('2026-11-21T00:00:00Z'),
      calls: 1n,
      calls_with_tokens: 0n,
      input_tokens: null,
      output_tokens: null,
    },
    {
      purpose: 'write',
      day: new Date('2026-11-21T00:00:00Z'),
      calls: 2n,
      calls_with_tokens: 2n,
      input_tokens: 6_000_000_000n,
      output_tokens: 0n,
    },
    {
      purpose: 'check',
      day: new Date('2026-11-22T00:00:00Z'),
      calls: 1n,
      calls_with_tokens: 0n,
      input_tokens: null,
      output_tokens: null,
    },
  ]);
  expect(rows.at(-1)?.['last_call_at']).toEqual(new Date('2026-11-22T12:00:00Z'));
  expect(await use()).toEqual([
    ['plan', 0],
    ['write', 0],
    ['check', 1],
    ['judge', 0],
    ['brief', 0],
    ['translate', 0],
  ]);
});
