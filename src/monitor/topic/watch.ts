import { createHash } from 'node:crypto';
import { Refused } from '../../errors.ts';
import { inTransaction } from '../../store/database.ts';
import { findTopic } from '../../store/topics.ts';
import type { Context } from '../context.ts';
import { announce, type Created, insertChecked } from './create.ts';
import { checkSearch } from './definition.ts';
import { topicRemoved } from './named.ts';
import { serviceFor } from './service-for.ts';

/** How often a watched topic is looked at where nobody says otherwise: 96 and 24 calls a day. */
const POSTS_EVERY = '15m';
const AI_EVERY = '1h';

export type Watch = {
  text: string;
  name?: string | undefined;
  slug?: string | undefined;
  service?: string | undefined;
  postsEvery?: string | undefined;
  aiEvery?: string | undefined;
  sample?: boolean | undefined;
};

export type Watched = { topic: string; created: Created[] };

/**
 * Watches a text: one topic with a microblog search and an AI search over all tools, both running at once.
 * @throws InvalidInput, Refused `conflict` where the topic exists, or did
 */
export async function watchTopic(ctx: Context, watch: Watch): Promise<Watched> {
  const slug = watch.slug ?? slugOf(watch.text);
  const written = [
    {
      slug: `${slug}-posts`,
      operation: 'microblog',
      prompt: watch.text,
      every: watch.postsEvery ?? POSTS_EVERY,
    },
    { slug: `${slug}-ai`, operation: 'ai', prompt: watch.text, every: watch.aiEvery ?? AI_EVERY },
  ];
  const checked = written.map(checkSearch);
  const service = await serviceFor(ctx, watch.service);
  const before = await findTopic(ctx.db.pool, slug);
  if (before !== null && before.archived_at !== null) throw topicRemoved(slug, before.archived_at, '--slug');
  if (before !== null)
    throw new Refused('conflict', `the topic "${slug}" exists already; see: strandline topic show ${slug}`);
  const topic = { slug, name: watch.name ?? watch.text, sample: watch.sample ?? false };
  const created = await inTransaction(ctx.db, async (tx) => {
    const made: (Created & { checked: (typeof checked)[number] })[] = [];
    for (const one of checked)
      made.push({ checked: one, ...(await insertChecked(ctx, tx, { checked: one, topic, service })) });
    return made;
  });
  await announce(ctx, created);
  return { topic: slug, created };
}

/** A slug from any text: its letters and digits, or a hash where it has none that a slug may hold. */
export function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
  return plain.length >= 2 ? plain : `topic-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
