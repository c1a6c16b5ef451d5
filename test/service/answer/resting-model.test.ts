import { expect, test } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import {
  type LanguageModel,
  MAX_MODEL_FAILURES,
  MODEL_REST_MS,
  ModelFailed,
  type ModelQuestion,
  createRestingModel,
} from '../../../src/service/answering/language-model.ts';

const question: ModelQuestion = { system: '', user: '', purpose: 'write', schema: {} };
const never = new AbortController().signal;

function stand() {
  const clock = steppedClock('2026-11-21T12:00:00Z');
  const asked: Date[] = [];
  let answers: () => Promise<string> = () => Promise.reject(new ModelFailed('status', 500));
  const model: LanguageModel = {
    name: 'stand-in',
    ask: () => {
      asked.push(clock.now());
      return answers();
    },
  };
  const resting = createRestingModel(model, clock);
  const ask = (signal = never) => resting.ask(question, signal).catch((error: unknown) => error);
  return { clock, asked, ask, answer: (next: typeof answers) => (answers = next) };
}

test('a model that fails three times is skipped for a minute and tried again', async () => {
  const { clock, asked, ask, answer } = stand();
  for (let n = 0; n < MAX_MODEL_FAILURES; n++) await ask();
  expect(await ask()).toMatchObject({ reason: 'resting' });
  expect(asked).toHaveLength(MAX_MODEL_FAILURES);
  clock.advance(MODEL_REST_MS);
  answer(() => Promise.resolve('{}'));
  expect(await ask()).toBe('{}');
  expect(await ask()).toBe('{}');
});

test('a model that still fails after its pause is skipped again immediately', async () => {
  const { clock, asked, ask } = stand();
  for (let n = 0; n < MAX_MODEL_FAILURES; n++) await ask();
  clock.advance(MODEL_REST_MS);
  await ask();
  expect(await ask()).toMatchObject({ reason: 'resting' });
  expect(asked).toHaveLength(MAX_MODEL_FAILURES + 1);
});

test('client disconnects do not count as failures, a timeout does', async () => {
  const { asked, ask } = stand();
  const gone = AbortSignal.abort(new Error('gone'));
  for (let n = 0; n < 2 * MAX_MODEL_FAILURES; n++) await ask(gone);
  expect(asked).toHaveLength(2 * MAX_MODEL_FAILURES);
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  for (let n = 0; n < 2 * MAX_MODEL_FAILURES; n++) await ask(late);
  expect(asked).toHaveLength(3 * MAX_MODEL_FAILURES);
});
