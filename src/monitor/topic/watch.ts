import { InvalidInput } from '../../errors.ts';
import type { Acting } from '../context.ts';
import { insertTopic, type Watched } from './create-topic.ts';
import { type CheckedSearch, checkSearch, type WrittenSearch } from './definition.ts';
import { serviceFor } from './service-for.ts';
import { slugOf } from './slug-of.ts';

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

/**
 * Watches a text: one topic with a microblog search and an AI search over all tools, both running at once.
 * @throws InvalidInput, Refused `conflict` where the topic exists, or did
 */
export async function watchTopic(ctx: Acting, watch: Watch): Promise<Watched> {
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
  const checked = written.map((search, i) => checkAs(search, i === 0 ? 'posts_every' : 'ai_every'));
  const service = await serviceFor(ctx, watch.service);
  const topic = { slug, name: watch.name ?? watch.text, sample: watch.sample ?? false };
  return insertTopic(ctx, topic, checked, service);
}

/** What is wrong with a search is told of what was written: a text, and an interval of its name. */
function checkAs(search: WrittenSearch, every: 'posts_every' | 'ai_every'): CheckedSearch {
  const names: Readonly<Record<string, string>> = { prompt: 'text', every };
  try {
    return checkSearch(search);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.problems.map((problem) => ({ ...problem, path: names[problem.path] ?? problem.path })),
    );
  }
}
