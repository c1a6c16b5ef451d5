import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, ref, strandline } from './schema.ts';

/**
 * Posts of a search per day (UTC) of their own time, and how much of the day was observed. A post without a time
 * of its own, or with one that had not come yet, stands on the day on which it was first seen.
 */
export const search_days = strandline.table(
  'search_days',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    posts: integer().notNull(),
    /** Of them, those that no other search of its topic had seen before: summed over the topic, each post once. */
    topic_posts: integer().notNull(),
    /** Of `topic_posts`, those that are known to repeat another post. */
    topic_reposts: integer().notNull(),
    /** Minutes that answers saw in full, 0 to 1440. */
    minutes: integer().notNull(),
    /** An answer that should have reached a part that nobody saw was cut at its limit. */
    cut: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.day_at] }), index('search_days_day').on(t.day_at)],
);

/** Who and what the new posts of a search, and the links it found, speak of: per day as above. */
export const search_tops = strandline.table(
  'search_tops',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    /** `domain`: of addresses inside posts. `site`: of links that the search found, on the day they were found. */
    kind: text().notNull(),
    /** Key of the author; the language, the hashtag or the domain itself, its first 255 characters. */
    name: text().notNull(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.kind, t.day_at, t.name] }),
    check('search_tops_kind', sql`${t.kind} in ('author', 'language', 'hashtag', 'domain', 'site')`),
  ],
);
