/** The reading language of a topic: what it finds in other languages is translated into it. */
import { createNotFound, InvalidInput, type Problem } from '../../model/errors.ts';
import { readLanguage } from '../../model/translating.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import { lockTopic, writeLanguage } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { assertTopicNotRemoved } from './find-by-slug.ts';

/** Why a language cannot be set; undefined: it can be. */
export function describeMissingTranslator({
  translator,
  kind,
}: Pick<Context, 'translator' | 'kind'>): string | undefined {
  if (translator !== null) return undefined;
  return kind === 'sandbox'
    ? 'none: simulated texts are not sent to a language model'
    : 'none: translation needs a language model; set LLM_BASE_URL and LLM_MODEL, and restart';
}

/**
 * Reads a language; adds a problem at `language` if there is no such language, or no language model to translate.
 * @param current the language of the topic, which may stay as it is without a model
 * @returns null: none
 */
export function checkLanguage(
  ctx: Pick<Context, 'translator' | 'kind'>,
  given: string | null | undefined,
  problems: Problem[],
  current: string | null = null,
): string | null {
  const language = readLanguage(given ?? '');
  const expected =
    language === undefined
      ? 'the tag of a language, such as en, de or zh-Hant; or none'
      : language === null || language === current
        ? undefined
        : describeMissingTranslator(ctx);
  if (expected !== undefined) problems.push({ path: 'language', given: given?.slice(0, 60), expected });
  return language ?? null;
}

/** Writes the language of a new topic. */
export async function insertLanguage(tx: Transaction, topicId: Id, language: string | null): Promise<void> {
  if (language !== null) await writeLanguage(tx, topicId, language);
}

/**
 * Sets or removes the reading language of a topic. What it found in the last week is translated, too. Translations into a former
 * language are kept, and no longer shown.
 * @param given null: none
 * @returns the current slug of the topic, and the language as it is stored
 * @throws InvalidInput at `language`; Refused `not_found`, `conflict` for a removed topic
 */
export async function setLanguage(
  ctx: ActingContext,
  slug: string,
  given: string | null,
): Promise<{ topic: string; language: string | null }> {
  const topic = await assertTopicNotRemoved(ctx.db, slug);
  const problems: Problem[] = [];
  const language = checkLanguage(ctx, given, problems, topic.language);
  if (problems.length > 0) throw new InvalidInput(problems);
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockTopic(tx, slug);
    if (before === null) throw createNotFound('topic', slug);
    if (before.language === language) return { topic: before.slug, language };
    await writeLanguage(tx, before.id, language);
    await recordAudit(tx, ctx, {
      action: 'topic.updated',
      subject: before.slug,
      changes: { language: { before: before.language, after: language } },
    });
    return { topic: before.slug, language };
  });
}
