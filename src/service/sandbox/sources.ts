/** The simulation as seven sources. */
import { type Source, SOURCES } from '../../contract/enumerations.ts';
import type { MicroblogPost } from '../../contract/post.ts';
import { DAY } from '../../engine/clock.ts';
import type { Found, PostSource, Query, SearchSource } from '../source.ts';
import { createDocuments, type Documents } from './documents.ts';
import { createMicroblog, type Microblog } from './microblog.ts';
import { firstSentence } from './text.ts';

/** How far back operation A looks for posts, whatever its date filter: posts are a thing of the moment. */
const POSTS_REACH_MS = 30 * DAY;

/** @param seed the name of the world; the same seed and time give the same answers, byte for byte */
export function sandboxSources(seed: string): { microblog: PostSource; others: SearchSource[] } {
  const documents = createDocuments(seed);
  return {
    microblog: microblogSource(createMicroblog(seed)),
    others: SOURCES.filter((source) => source !== 'microblog').map((source) =>
      documentSource(documents, source),
    ),
  };
}

function microblogSource(microblog: Microblog): PostSource {
  return {
    source: 'microblog',
    state: 'sandbox',
    find({ prompt, from, to, limit }) {
      const reach = Math.max(from.getTime(), to.getTime() - POSTS_REACH_MS);
      const posts = microblog.find(prompt, { from: reach, at: to.getTime() }, limit);
      return Promise.resolve(posts.flatMap(foundOf));
    },
    posts({ prompt, at, limit }) {
      return Promise.resolve(microblog.find(prompt, { from: undefined, at: at.getTime() }, limit));
    },
  };
}

function documentSource(documents: Documents, source: Exclude<Source, 'microblog'>): SearchSource {
  return {
    source,
    state: 'sandbox',
    find({ prompt, from, to, limit }: Query) {
      const window = { from: from.getTime(), at: to.getTime() };
      return Promise.resolve(documents.find(source, prompt, window, limit));
    },
  };
}

/** A repost is left out: what it repeats is found by itself. */
function foundOf(post: MicroblogPost): Found[] {
  if (post.is_repost || post.url === null) return [];
  const { text, url, summary_description, created_at } = post;
  return [
    {
      source: 'microblog',
      title: firstSentence(text),
      link: url,
      snippet: text,
      summaryDescription: summary_description,
      publishedAt: new Date(created_at),
    },
  ];
}
