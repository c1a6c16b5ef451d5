/** Sends the question about translations, and says in the words of the monitor how it ended. */
import { MINUTE } from '../../lib/time.ts';
import type { TranslationReply, TranslationRequest } from '../../model/translating.ts';
import { askInTime } from './ask-in-time.ts';
import type { MeteredModel } from './metered-model.ts';
import { buildTranslating } from './translating.ts';

/** Nobody waits for the response, which is about as long as the texts. */
const TIMEOUT_MS = MINUTE;

/** One request, counted before it is sent. @throws the signal's reason if it aborts */
export async function askForTranslations(
  model: Pick<MeteredModel, 'ask' | 'countFailure'>,
  request: TranslationRequest,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<TranslationReply> {
  const translating = buildTranslating(request);
  if (translating === undefined) return { outcome: 'translated', texts: request.texts.map(() => 'none') };
  const asked = await askInTime(model, translating.question, signal, timeoutMs);
  if (asked.outcome !== 'answered') return asked;
  const texts = translating.read(asked.answer);
  if (texts !== undefined) return { outcome: 'translated', texts };
  model.countFailure('translate');
  return { outcome: 'unusable', reason: 'returned no translations' };
}
