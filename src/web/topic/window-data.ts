/** What changed in the window of a topic or search: its answers, its biggest stories, and who was first. */
import { awaitMembers } from '../../lib/await-members.ts';
import type { Reads } from '../../store/db/database.ts';
import { type CompletionDiff, readCompletionDiff } from '../../store/queries/completion-diff.ts';
import { type CompletionRow, readRunCompletion } from '../../store/queries/completions.ts';
import type { PostRow } from '../../store/queries/post-detail.ts';
import { readPostPage } from '../../store/queries/post-pages.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { readSpanAnswers } from '../../store/queries/span-activity.ts';
import { readBiggestStories, type StoryRow } from '../../store/queries/stories.ts';
import type { TopicScope } from './topic-data.ts';
import { toStories } from './topic-list-data.ts';
import type { PageView } from './view-address.ts';

/** The answer of a search at the end of the window. */
export type WindowAnswer = {
  search: SearchRow;
  completion: CompletionRow;
  /** Against the last one before the window, or else the first one in it; null if there is no other. */
  diff: CompletionDiff | null;
};

export type WindowData = {
  answers: WindowAnswer[];
  stories: StoryRow[];
  /** The post that was published first; null if there is none. */
  first: PostRow | null;
};

/** A topic rarely has more AI searches; each has a page of its own. */
const MAX_ANSWERS = 3;
const MAX_STORIES = 3;

export async function readWindow(
  db: Reads,
  scope: TopicScope,
  view: Pick<PageView, 'window'>,
): Promise<WindowData> {
  const { from, until } = view.window;
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  const { answers, stories, posts } = await awaitMembers({
    answers: readAnswers(db, scope.searches, { from, until }),
    stories: scope.search === undefined ? readBiggestStories(db, toStories(scope, view, MAX_STORIES)) : [],
    posts: scope.searches.every(({ operation }) => operation === 'ai')
      ? []
      : readPostPage(db, { ...which, since: from, until, order: 'oldest', limit: 1 }),
  });
  return { answers, stories, first: posts[0]?.post ?? null };
}

async function readAnswers(
  db: Reads,
  searches: readonly SearchRow[],
  { from, until }: { from: Date; until: Date },
): Promise<WindowAnswer[]> {
  const aiSearches = searches.filter(({ operation }) => operation === 'ai').slice(0, MAX_ANSWERS);
  if (aiSearches.length === 0) return [];
  const last = await readSpanAnswers(db, { searchIds: aiSearches.map(({ id }) => id), from, until });
  const answers = await Promise.all(
    aiSearches.map(async (search) => {
      const answer = last.find(({ search_id }) => search_id === search.id);
      if (answer === undefined) return [];
      const { completion, diff } = await awaitMembers({
        completion: readRunCompletion(db, answer.run_id),
        diff: readCompletionDiff(db, search, { since: from, to: answer.run_id }),
      });
      return completion === undefined
        ? []
        : [{ search, completion, diff: typeof diff === 'string' ? null : diff }];
    }),
  );
  return answers.flat();
}
