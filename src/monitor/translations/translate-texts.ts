/**
 * Translates what topics with a reading language find, with the language model. Every worker does, one request at a time, outside of
 * runs, of the follower and of recurring work: nothing waits for a translation, and pages show those that are there.
 */
import { MINUTE, SECOND } from '../../lib/time.ts';
import {
  MAX_TRANSLATED_AT_ONCE,
  MAX_TRANSLATED_TEXT,
  MAX_TRANSLATED_UNITS,
  type Translator,
} from '../../model/translating.ts';
import { truncateText } from '../../lib/text.ts';
import { inTransaction, readTime } from '../../store/db/database.ts';
import { lockAgainstErasing } from '../../store/erase/save-lock.ts';
import {
  postponeTranslations,
  readTranslatedTopics,
  takeWaitingTexts,
  type TranslatedTopic,
  writeTranslations,
} from '../../store/translations/queue-translations.ts';
import type { Context } from '../context.ts';
import { repeatPass } from '../repeat-pass.ts';

const INTERVAL_MS = 5 * SECOND;
/** Requests of a pass; the next pass continues. */
const MAX_REQUESTS = 10;
/** After a response that could not be had. */
const RETRY_MS = 10 * MINUTE;
const MOST = { texts: MAX_TRANSLATED_AT_ONCE, units: MAX_TRANSLATED_UNITS, each: MAX_TRANSLATED_TEXT };

type TranslationContext = Pick<Context, 'db' | 'clock' | 'log' | 'translator'>;

/**
 * Translates texts that wait, up to {@link MAX_REQUESTS} requests, of each topic in turn. Ends when the model is unavailable.
 * @returns the number of texts that were translated
 */
export async function translateWaiting(ctx: TranslationContext, signal: AbortSignal): Promise<number> {
  const { translator, db } = ctx;
  if (translator === null) return 0;
  let topics = await readTranslatedTopics(db);
  let [translated, requests] = [0, 0];
  while (requests < MAX_REQUESTS && !signal.aborted) {
    const [topic, ...others] = topics;
    if (topic === undefined) break;
    const step = await translateBatch(ctx, translator, topic, signal);
    translated += step.translated;
    if (step.outcome === 'unavailable') break;
    if (step.outcome === 'asked') requests += 1;
    topics = step.outcome === 'asked' ? [...others, topic] : others;
  }
  return translated;
}

type Step = { outcome: 'asked' | 'nothing' | 'unavailable'; translated: number };

async function translateBatch(
  { db, clock, log }: TranslationContext,
  translator: Translator,
  topic: TranslatedTopic,
  signal: AbortSignal,
): Promise<Step> {
  const { language, slug } = topic;
  const taken = await inTransaction(db, async (tx) => {
    await lockAgainstErasing(tx);
    return takeWaitingTexts(tx, topic, { most: MOST, now: await readTime(tx, clock) });
  });
  if (taken.length === 0) return { outcome: 'nothing', translated: 0 };
  const texts = taken.map(({ text }) => truncateText(text, MAX_TRANSLATED_TEXT));
  const reply = await translator.translate({ language, texts }, signal);
  const about = { topic: slug, language, texts: taken.length };
  if (reply.outcome !== 'translated') log.warn({ ...about, reason: reply.reason }, 'texts not translated');
  if (reply.outcome === 'unavailable') {
    await inTransaction(db, async (tx) => {
      const now = await readTime(tx, clock);
      await postponeTranslations(tx, language, taken, new Date(now.getTime() + RETRY_MS));
    });
    return { outcome: 'unavailable', translated: 0 };
  }
  const became = taken.map(({ hash }, i) => ({
    hash,
    became: (reply.outcome === 'translated' ? reply.texts[i] : undefined) ?? ('unusable' as const),
  }));
  await inTransaction(db, async (tx) => {
    const now = await readTime(tx, clock);
    await writeTranslations(tx, { language, model: translator.model, now }, became);
  });
  const translated = became.filter((each) => typeof each.became !== 'string').length;
  if (reply.outcome === 'translated') log.debug({ ...about, translated }, 'texts translated');
  return { outcome: 'asked', translated };
}

/**
 * Starts to translate in a worker. Without a language model it does nothing.
 * @returns stops it; a request in progress is aborted, and sent again by another worker
 */
export function startTranslations(ctx: TranslationContext, intervalMs = INTERVAL_MS): () => Promise<void> {
  if (ctx.translator === null) return async () => {};
  const pass = async (signal: AbortSignal) => {
    await translateWaiting(ctx, signal);
  };
  return repeatPass(ctx, 'translating', pass, intervalMs);
}
