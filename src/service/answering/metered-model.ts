/** Counts requests to a language model by purpose and day, before they are sent, and refuses those beyond the limits of the day. */

import { MODEL_PURPOSES } from '../../model/closed-lists.ts';
import type { ModelPurpose, ModelUse } from '../../model/model-use.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Allowances } from '../ports.ts';
import { isClientGone, type LanguageModel, ModelFailed } from './language-model.ts';

type Counter = 'calls' | 'failed' | 'reported' | 'input' | 'output';

export type MeteredModel = LanguageModel & {
  /** Today's use, one entry per purpose. */
  use(): Promise<ModelUse[]>;
  /** Counts a response that could not be used as a failure. */
  countFailure(purpose: ModelPurpose): void;
};

/**
 * Counters are allowances, so that they hold for all processes, and outlast each.
 * @param callsPerDay maximum number of calls by purpose and UTC day
 */
export function createMeteredModel(
  model: LanguageModel,
  {
    allowances,
    clock,
    callsPerDay,
  }: { allowances: Allowances; clock: Clock; callsPerDay: Readonly<Record<ModelPurpose, number>> },
): MeteredModel {
  const today = () => clock.now().toISOString().slice(0, 10);
  const name = (purpose: ModelPurpose, counter: Counter, period: string) => ({
    source: `llm:${purpose}:${counter}`,
    period,
    most: counter === 'calls' ? callsPerDay[purpose] : Number.MAX_SAFE_INTEGER,
  });
  const ignore = () => {};
  const count = (purpose: ModelPurpose, counter: Counter, units: number) =>
    // The response matters more than its count.
    void (units > 0 && allowances.take(name(purpose, counter, today()), units).catch(ignore));
  const read = (purpose: ModelPurpose, counter: Counter, day: string) =>
    allowances.used(name(purpose, counter, day)).catch(() => null);
  return {
    name: model.name,
    async ask(question, signal) {
      const { purpose, onTokens } = question;
      const calls = name(purpose, 'calls', today());
      const isTaken = await allowances.take(calls, 1).catch(() => null);
      signal.throwIfAborted();
      // A request that was not counted is not sent.
      if (isTaken === null) throw new ModelFailed('uncounted');
      if (!isTaken) throw new ModelFailed('used_up');
      try {
        return await model.ask(
          {
            ...question,
            onTokens: (tokens) => {
              onTokens?.(tokens);
              count(purpose, 'reported', 1);
              count(purpose, 'input', tokens.input);
              count(purpose, 'output', tokens.output);
            },
          },
          signal,
        );
      } catch (error) {
        if (error instanceof ModelFailed && error.reason === 'resting')
          await allowances.refund(calls, 1).catch(ignore);
        else if (!isClientGone(signal)) count(purpose, 'failed', 1);
        throw error;
      }
    },
    countFailure: (purpose) => {
      count(purpose, 'failed', 1);
    },
    use: () => {
      const day = today();
      return Promise.all(
        MODEL_PURPOSES.map(async (purpose) => {
          const [calls, failed, reported, input, output] = await Promise.all([
            read(purpose, 'calls', day),
            read(purpose, 'failed', day),
            read(purpose, 'reported', day),
            read(purpose, 'input', day),
            read(purpose, 'output', day),
          ]);
          const known = reported === null || reported === 0 ? null : { input, output };
          return {
            purpose,
            day,
            calls,
            most: callsPerDay[purpose],
            failed,
            calls_with_tokens: reported,
            input_tokens: known?.input ?? null,
            output_tokens: known?.output ?? null,
          };
        }),
      );
    },
  };
}
