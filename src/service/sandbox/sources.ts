/** The simulation as seven sources. */
import { type Source, SOURCES } from '../../contract/enumerations.ts';
import type { MicroblogPost } from '../../contract/post.ts';
import { DAY } from '../../engine/clock.ts';
import type { Found, SearchSource } from '../source.ts';
import { createDocuments, type Documents } from './documents.ts';
import { createMicroblog, type Microblog } from './microblog.ts';

/** The world that answers when nobody names another. */
export const SANDBOX_SEED = 'strandline';
/** How far back operation A looks for posts, whatever its date filter: posts are a thing of the moment. */
const POSTS_REACH_MS = 30 * DAY;

/** @param seed the name of the world; the same seed and time give the same answers, byte for byte */
export function sandboxSources(seed = SANDBOX_SEED): readonly SearchSource[] {
  const documents = createDocuments(seed);
  const microblog = microblogSource(createMicroblog(seed));
  return SOURCES.map((source) => (source === 'microblog' ? microblog : documentSource(documents, source)));
}

function microblogSource(microblog: Microblog): SearchSource {
  return {
    name: 'sandbox-microblog',
    source: 'microblog',
    state: 'sandbox',
    find({ prompt, from, to, limit }) {
      const reach = from && Math.max(from.getTime(), to.getTime() - POSTS_REACH_MS);
      return Promise.resolve(microblog.find(prompt, { from: reach, at: to.getTime() }, limit).map(foundOf));
    },
  };
}

function documentSource(documents: Documents, source: Exclude<Source, 'microblog'>): SearchSource {
  return {
    name: `sandbox-${source.replace('_', '-')}`,
    source,
    state: 'sandbox',
    find({ prompt, from, to, limit }) {
      const window = { from: from?.getTime() ?? 0, at: to.getTime() };
      return Promise.resolve(documents.find(source, prompt, window, limit));
    },
  };
}

function foundOf(post: MicroblogPost): Found {
  return {
    source: 'microblog',
    // The first sentence of its text.
    title: post.summary_description,
    link: post.url ?? '',
    snippet: post.text,
    summaryDescription: post.summary_description,
    publishedAt: new Date(post.created_at),
    post,
  };
}
