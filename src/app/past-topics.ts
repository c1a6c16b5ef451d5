/** Topics of the sandbox with a simulated past: those of the demo and of the sample. */
import type { ActingContext, Context } from '../monitor/context.ts';
import { insertCheckedSearch } from '../monitor/topics/save-search.ts';
import { checkSearch } from '../monitor/topics/search-definition.ts';
import { chooseService } from '../monitor/topics/service-choice.ts';
import { finishPurge, requestPurge } from '../monitor/topics/purge-topic.ts';
import { recordAudit, recordCreation } from '../store/access/audit-entries.ts';
import { type Database, inTransaction } from '../store/db/database.ts';
import { holdForPast } from '../store/topics/past-searches.ts';

/** What a topic is about, with the intervals of its searches. */
export type PastTopic = {
  slug: string;
  name: string;
  prompt: string;
  every: string;
  /** Of its AI search; null: it has none. */
  aiEvery: string | null;
};

/**
 * Creates topics at the beginning of their past, and keeps workers away from them.
 * @param ctx at that time
 * @param by actor and time for the audit log: the topics are created now, although their history is in the past
 * @returns the slugs of their searches
 */
export async function createPastTopics(
  ctx: Context,
  topics: readonly PastTopic[],
  by: Pick<ActingContext, 'actor' | 'clock'>,
): Promise<readonly string[]> {
  const slugs: string[] = [];
  const service = await chooseService(ctx, 'sandbox');
  for (const { slug, name, prompt, every, aiEvery } of topics) {
    const searches = [checkSearch({ slug: `${slug}-posts`, operation: 'microblog', prompt, every })];
    if (aiEvery !== null)
      searches.push(
        checkSearch({
          slug: `${slug}-ai`,
          operation: 'ai',
          prompt,
          date_filter: 'PAST_2_DAYS',
          every: aiEvery,
        }),
      );
    await inTransaction(ctx.db, async (tx) => {
      const made = [];
      for (const search of searches) {
        const topic = { slug, name, sample: true };
        made.push((await insertCheckedSearch(ctx, tx, { checked: search, topic, service })).search.id);
      }
      await holdForPast(tx, made);
      const changes = recordCreation({ name, searches: searches.map((search) => search.slug) });
      await recordAudit(tx, by, { action: 'topic.created', subject: slug, changes });
    });
    slugs.push(...searches.map(({ slug: own }) => own));
  }
  return slugs;
}

/** Purges what an interrupted simulation left. @param prefix of the slugs of its topics */
export async function discardPastTopics(ctx: ActingContext, prefix: string): Promise<void> {
  const requested = [];
  for (const slug of await listPastTopics(ctx.db, prefix))
    requested.push(await requestPurge(ctx, { kind: 'topic', slug }));
  for (const purge of requested) await finishPurge(ctx.db, purge);
}

/** @returns their slugs, of removed ones too */
export async function listPastTopics({ pool }: Pick<Database, 'pool'>, prefix: string): Promise<string[]> {
  const { rows } = await pool.query<{ slug: string }>(
    'SELECT slug FROM strandline.topics WHERE sample AND starts_with(slug, $1) ORDER BY slug',
    [prefix],
  );
  return rows.map(({ slug }) => slug);
}
