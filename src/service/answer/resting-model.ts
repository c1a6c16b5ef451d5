import { type Clock, MINUTE } from '../../engine/clock.ts';
import { type LanguageModel, ModelFailed } from './model.ts';

/** So many failures one after the other, and the model is not asked for so long: answers need not wait for it. */
export const FAILURES_MOST = 3;
export const REST_MS = MINUTE;

/** The same model, left alone for a minute after three failures in a row; then the next question tries it. */
export function restingModel(model: LanguageModel, clock: Clock): LanguageModel {
  let failures = 0;
  let restsUntil = 0;
  return {
    name: model.name,
    async ask(question, signal) {
      const now = clock.now().getTime();
      if (now < restsUntil) throw new ModelFailed('resting');
      try {
        const answer = await model.ask(question, signal);
        failures = 0;
        return answer;
      } catch (error) {
        // A client that went away says nothing about the model; a time limit that ended does.
        if (!isAway(signal)) failures += 1;
        if (failures >= FAILURES_MOST) restsUntil = clock.now().getTime() + REST_MS;
        throw error;
      }
    },
  };
}

function isAway({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}
