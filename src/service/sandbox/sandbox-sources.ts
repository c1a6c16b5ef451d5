/** The simulation as seven sources. */
import { type Source, SOURCES } from '../../model/enumerations.ts';
import type { MicroblogPost } from '../../protocol/specification.ts';
import { DAY } from '../../lib/time.ts';
import type { FoundItem, SearchSource } from '../sources/search-source.ts';
import { createDocuments, type Documents } from './simulated-documents.ts';
import { findQuotedPost } from './simulated-posts.ts';
import { createMicroblog, type SimulatedMicroblog } from './simulated-microblog.ts';

/** The default world. */
export const SANDBOX_SEED = 'strandline';
/** Maximum age of posts for operation A, whatever its date filter. */
const MAX_POST_AGE_MS = 30 * DAY;

/** @param seed name of the world; the same seed and time give identical responses */
export function createSandboxSources(seed = SANDBOX_SEED): readonly SearchSource[] {
  const documents = createDocuments(seed);
  const microblog = createMicroblogSource(createMicroblog(seed));
  return SOURCES.map((source) =>
    source === 'microblog' ? microblog : createDocumentSource(documents, source),
  );
}

function createMicroblogSource(microblog: SimulatedMicroblog): SearchSource {
  return {
    name: 'sandbox-microblog',
    source: 'microblog',
    state: 'sandbox',
    async find({ prompt, from, to, limit }) {
      const reach = from && Math.max(from.getTime(), to.getTime() - MAX_POST_AGE_MS);
      const { newest, popular } = await microblog.find(prompt, { from: reach, at: to.getTime() }, limit);
      return [
        ...newest.map(toFoundItem),
        ...popular.map((post) => ({ ...toFoundItem(post), popular: true as const })),
      ];
    },
  };
}

function createDocumentSource(documents: Documents, source: Exclude<Source, 'microblog'>): SearchSource {
  return {
    name: `sandbox-${source.replace('_', '-')}`,
    source,
    state: 'sandbox',
    find({ prompt, from, to, limit }) {
      const window = { from: from?.getTime() ?? 0, at: to.getTime() };
      return documents.find(source, prompt, window, limit);
    },
  };
}

function toFoundItem(post: MicroblogPost): FoundItem {
  const quoted = findQuotedPost(post);
  return {
    source: 'microblog',
    title: post.summary_description,
    link: post.url ?? '',
    snippet: post.text,
    summaryDescription: post.summary_description,
    publishedAt: new Date(post.created_at),
    post,
    ...(quoted && { quoted }),
  };
}
