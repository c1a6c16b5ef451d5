/** Who writes most about a topic, and what is named most: by the days of the window. */
import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import type { Reads } from '../../store/db/database.ts';
import type { SearchDay } from '../../store/queries/search-activity.ts';
import { countCopiedPosts } from '../../store/queries/copied-posts.ts';
import {
  readTopAuthors,
  readTopDomains,
  readTopHashtags,
  readTopLanguages,
} from '../../store/queries/tops.ts';
import type { TopicScope } from './topic-data.ts';
import { SHOWN_ROWS } from './topic-list-data.ts';
import type { Window } from './view-address.ts';

const MAX_NAMES = 6;
/** Names change within days: they cover at most this many whole days before the last one, */
const MAX_DAYS = 7;
/** and fewer if those hold more posts than this. A busy topic has thousands of authors a day. */
const MAX_POSTS = 10_000;

export type Voices = Awaited<ReturnType<typeof readVoices>>;

/** @param past days of the searches, of which busy ones shorten the time that is covered */
export async function readVoices(db: Reads, scope: TopicScope, window: Window, past: readonly SearchDay[]) {
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  const lastDay = startOfDay(new Date(window.until.getTime() - 1));
  const earliest = lastDay.getTime() - chooseDays(past, lastDay) * DAY;
  const from = startOfDay(new Date(Math.max(window.from.getTime(), earliest)));
  const until = new Date(lastDay.getTime() + DAY);
  const filter = { ...which, from, until, limit: MAX_NAMES, together: true };
  const read = await awaitMembers({
    authors: readTopAuthors(db, { ...filter, limit: SHOWN_ROWS }),
    domains: readTopDomains(db, filter),
    hashtags: readTopHashtags(db, filter),
    languages: readTopLanguages(db, filter),
  });
  const copied = await countCopiedPosts(
    db,
    read.authors.map(({ author_id }) => author_id),
    { topicId: scope.topicId, searchIds: scope.everySearch.map(({ id }) => id) },
    { from, until },
  );
  return { ...read, copied: new Map(copied.map((row) => [row.author_id, row])), from, until };
}

/** How many whole days before the last one are covered; at least one. */
export function chooseDays(past: readonly Pick<SearchDay, 'day_at' | 'posts'>[], lastDay: Date): number {
  let held = 0;
  for (let days = 1; days <= MAX_DAYS; days += 1) {
    const day = lastDay.getTime() - days * DAY;
    held += past.reduce((sum, { day_at, posts }) => (day_at.getTime() === day ? sum + posts : sum), 0);
    if (held > MAX_POSTS) return Math.max(1, days - 1);
  }
  return MAX_DAYS;
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY) * DAY);
}
