/** Which sources answer. A new one is one file that makes a {@link SearchSource}, and one line here. */
import { sandboxSources } from './sandbox/sources.ts';
import type { PostSource, SearchSource } from './source.ts';

/** What answers a request: one source for posts, and any number for each of the others. */
export type Sources = { microblog: PostSource; others: readonly SearchSource[] };

/** The world that answers when nobody names another. */
export const SANDBOX_SEED = 'strandline';

/** The sources below `/sandbox`, always; and at the root while no live source is configured. */
export function simulatedSources(seed = SANDBOX_SEED): Sources {
  const { microblog, others } = sandboxSources(seed);
  return { microblog, others };
}

/** All of them in one list. */
export function listOf({ microblog, others }: Sources): readonly SearchSource[] {
  return [...others, microblog];
}
