/** Requests to a language model are counted by purpose and day before they are sent, and bounded. */
import { expect, onTestFinished, test } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { writeCompletion } from '../../../src/service/answering/completion-writer.ts';
import {
  createLanguageModel,
  createRestingModel,
  MAX_MODEL_FAILURES,
  type ModelQuestion,
} from '../../../src/service/answering/language-model.ts';
import { createMeteredModel } from '../../../src/service/answering/metered-model.ts';
import type { Allowances } from '../../../src/service/ports.ts';
import { startForTest } from '../running.ts';
import { memoryPorts } from '../sources/memory-ports.ts';
import { type Reaction, saying, startFakeModel } from './fake-model.ts';
import { AT, findingsOf, found } from './found.ts';

const never = new AbortController().signal;
const ask = (purpose: ModelQuestion['purpose']): ModelQuestion => ({
  purpose,
  system: 's',
  user: 'u',
  schema: {},
});
const LIMITS = { plan: 2, write: 3, check: 1, judge: 9, brief: 2, translate: 9 };
const costly: Reaction = {
  status: 200,
  body: JSON.stringify({
    choices: [{ message: { content: '{}' } }],
    usage: { prompt_tokens: 1_200, completion_tokens: 34 },
  }),
};

async function start(react: () => Reaction, changed: Partial<Allowances> = {}) {
  const fake = await startFakeModel(react);
  onTestFinished(() => fake.close());
  const clock = steppedClock(AT.toISOString());
  const client = createLanguageModel({ baseUrl: fake.baseUrl, apiKey: undefined, model: 'small-1' });
  const allowances = { ...memoryPorts(clock).allowances, ...changed };
  const model = createMeteredModel(createRestingModel(client, clock), {
    allowances,
    clock,
    callsPerDay: LIMITS,
  });
  const outcome = (purpose: ModelQuestion['purpose']) =>
    model.ask(ask(purpose), never).catch((error: unknown) => error);
  return { model, clock, outcome, asked: fake.questions };
}

test('counts calls and tokens of each purpose, and refuses more than the day allows, until the next', async () => {
  const { model, clock, outcome, asked } = await start(() => costly);
  expect(await outcome('plan')).toBe('{}');
  expect(await outcome('plan')).toBe('{}');
  expect(await outcome('plan')).toMatchObject({ reason: 'used_up' });
  expect(await outcome('check')).toBe('{}');
  expect(asked).toHaveLength(3);
  expect(await model.use()).toEqual([
    {
      purpose: 'plan',
      day: '2026-11-21',
      calls: 2,
      most: 2,
      failed: 0,
      calls_with_tokens: 2,
      input_tokens: 2_400,
      output_tokens: 68,
    },
    {
      purpose: 'write',
      day: '2026-11-21',
      calls: 0,
      most: 3,
      failed: 0,
      calls_with_tokens: 0,
      input_tokens: null,
      output_tokens: null,
    },
    {
      purpose: 'check',
      day: '2026-11-21',
      calls: 1,
      most: 1,
      failed: 0,
      calls_with_tokens: 1,
      input_tokens: 1_200,
      output_tokens: 34,
    },
    {
      purpose: 'judge',
      day: '2026-11-21',
      calls: 0,
      most: 9,
      failed: 0,
      calls_with_tokens: 0,
      input_tokens: null,
      output_tokens: null,
    },
    {
      purpose: 'brief',
      day: '2026-11-21',
      calls: 0,
      most: 2,
      failed: 0,
      calls_with_tokens: 0,
      input_tokens: null,
      output_tokens: null,
    },
    {
      purpose: 'translate',
      day: '2026-11-21',
      calls: 0,
      most: 9,
      failed: 0,
      calls_with_tokens: 0,
      input_tokens: null,
      output_tokens: null,
    },
  ]);
  clock.advance(24 * 3_600_000);
  expect(await outcome('plan')).toBe('{}');
});

test('a server that does not say what it cost cost an unknown number of tokens, not none', async () => {
  const { model, outcome } = await start(() => saying('{}'));
  await outcome('write');
  expect((await model.use())[1]).toMatchObject({ calls: 1, calls_with_tokens: 0, input_tokens: null });
});

test('a response that cannot be used is paid for, too', async () => {
  const { model, outcome } = await start(() => ({
    status: 200,
    body: JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 0 } }),
  }));
  expect(await outcome('write')).toMatchObject({ reason: 'empty' });
  expect((await model.use())[1]).toMatchObject({ calls: 1, input_tokens: 10, output_tokens: 0 });
  await expect.poll(async () => (await model.use())[1]?.failed).toBe(1);
});

test('usage of another shape is unknown', async () => {
  const { model, outcome } = await start(() => ({
    status: 200,
    body: JSON.stringify({
      choices: [{ message: { content: '{}' } }],
      usage: { prompt_tokens: -5, completion_tokens: 'many' },
    }),
  }));
  expect(await outcome('write')).toBe('{}');
  expect((await model.use())[1]).toMatchObject({ calls: 1, calls_with_tokens: 0 });
});

test('a paused model is not asked, which costs nothing', async () => {
  const { model, outcome, asked } = await start(() => ({ status: 500, body: '' }));
  for (let n = 0; n < MAX_MODEL_FAILURES; n++) await outcome('write');
  expect(await outcome('plan')).toMatchObject({ reason: 'resting' });
  expect(asked).toHaveLength(MAX_MODEL_FAILURES);
  expect((await model.use()).map(({ calls }) => calls)).toEqual([0, 3, 0, 0, 0, 0]);
  await expect.poll(async () => (await model.use())[1]?.failed).toBe(3);
});

test('a request that cannot be counted is not sent, and its counter is unknown', async () => {
  const fails = () => Promise.reject(new Error('no database'));
  const { model, outcome, asked } = await start(() => costly, { take: fails, used: fails });
  expect(await outcome('write')).toMatchObject({ reason: 'uncounted' });
  expect(asked).toEqual([]);
  expect((await model.use())[1]).toMatchObject({ calls: null, calls_with_tokens: null, input_tokens: null });
});

test('beyond its limits, everything is as without a model, and the service shows what was used', async () => {
  const { model } = await start(() => costly, { take: async () => false });
  const writing = { prompt: 'ferry', at: AT, budgetMs: 10_000, signal: never, log: createLogger('silent') };
  const findings = findingsOf(found('web', 'The ferry is cancelled until Monday because of the storm.'));
  const without = await writeCompletion(findings, { ...writing, model: undefined });
  expect(await writeCompletion(findings, { ...writing, model })).toEqual(without);
  const service = await startForTest({ model });
  onTestFinished(() => service.close());
  const shown = (await (await fetch(`${service.url}/healthz/sources`)).json()) as object; // our own
  expect(shown).toMatchObject({ language_model: await model.use() });
});
