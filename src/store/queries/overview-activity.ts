/** What happened in a range of time in all topics: a statement each for runs, discoveries, stories, answers and messages, however many topics there are. */
import { isShown } from './data-scope.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, type Statement, statement } from '../db/statement.ts';
import type { StoryRow } from './stories.ts';

/** A range of time. `until` is excluded; null: up to now. */
export type ActivityRange = { from: Date; until: Date | null };

/** Runs of a topic that ended in a part of the range. */
export type RunPart = {
  topic_id: Id;
  /** Number of the part, from 0. */
  part: number;
  succeeded: number;
  failed: number;
  /** Slots without a run: a row may represent many. */
  skipped: number;
};

/** Statements with it are planned each time: which index is best depends on how long the range is. */
const within = (at: Statement, { from, until }: ActivityRange) =>
  until === null ? statement`${at} >= ${from}` : statement`${at} >= ${from} AND ${at} < ${until}`;

/** @param split the number of equal parts, and how long each is, in milliseconds */
export async function tallyRunParts(
  { pool }: Pooled,
  range: ActivityRange,
  { parts, partMs }: { parts: number; partMs: number },
): Promise<RunPart[]> {
  return rowsOf<RunPart>(
    pool,
    statement`SELECT s.topic_id, least(${parts}::int - 1, floor(extract(epoch FROM r.ended_at - ${range.from}::timestamptz) * 1000 / ${partMs}::float8))::int AS part,
        count(*) FILTER (WHERE r.status = 'succeeded')::int AS succeeded,
        count(*) FILTER (WHERE r.status = 'failed')::int AS failed,
        coalesce(sum(coalesce(r.span_slots, 1)) FILTER (WHERE r.status = 'skipped'), 0)::int AS skipped
      FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
      WHERE ${within(statement`r.ended_at`, range)} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

/** What a topic found, without what was there at the start. */
export type NewOfTopic = {
  topic_id: Id;
  /** Discoveries, each thing once. */
  found: number;
  /** The first of them. */
  first_id: Id;
};

/** @param range.after only later discoveries than this */
export async function countNewByTopic(
  { pool }: Pooled,
  { after, ...range }: ActivityRange & { after: Id | null },
): Promise<NewOfTopic[]> {
  return rowsOf<NewOfTopic>(
    pool,
    // Counted by searches before topics are joined: by time alone, in the order in which discoveries are stored.
    statement`SELECT s.topic_id, sum(f.found)::int AS found, min(f.first_id) AS first_id
      FROM (
        SELECT d.search_id, count(*) AS found, min(d.id) AS first_id FROM strandline.discoveries d
        WHERE ${within(statement`d.at`, range)} AND d.first_in_topic AND NOT d.baseline AND ${isShown('d')}${after === null ? statement`` : statement` AND d.id > ${after}`} GROUP BY 1
      ) f
      JOIN strandline.searches s ON s.id = f.search_id JOIN strandline.topics t ON t.id = s.topic_id
      WHERE t.archived_at IS NULL GROUP BY 1`,
  );
}

/** The largest new stories, largest first, with the number of all of them and of their topics. */
export type NewStories = {
  stories: StoryRow[];
  total: number;
  topics: number;
  /** Number of those that are left out: hidden ones, or those that are shown. */
  others: number;
};

/** Stories whose first member was found in the range; without those of what was there at the start. @param isHidden those that a person hides */
export async function readNewStories(
  { pool }: Pooled,
  range: ActivityRange,
  { isHidden = false, limit }: { isHidden?: boolean; limit: number },
): Promise<NewStories> {
  const rows = await rowsOf<(StoryRow | Record<keyof StoryRow, null>) & Omit<NewStories, 'stories'>>(
    pool,
    // By topics, for the index on their last news.
    statement`WITH fresh AS MATERIALIZED (
        SELECT k.id, k.topic_id, k.members, (k.hidden_at IS NOT NULL) = ${isHidden} AS is_listed FROM strandline.topics t
        JOIN strandline.stories k ON k.topic_id = t.id AND k.last_at >= ${range.from} AND ${within(statement`k.first_at`, range)}
        WHERE t.archived_at IS NULL AND NOT EXISTS (SELECT FROM strandline.discoveries d WHERE d.id = k.id AND d.baseline)
      )
      SELECT v.*, c.* FROM (
        SELECT count(*) FILTER (WHERE is_listed)::int AS total, count(DISTINCT topic_id) FILTER (WHERE is_listed)::int AS topics,
          count(*) FILTER (WHERE NOT is_listed)::int AS others FROM fresh
      ) c
      LEFT JOIN (SELECT id FROM fresh WHERE is_listed ORDER BY members DESC, id DESC LIMIT ${limit}) f ON true
      LEFT JOIN strandline_analytics.stories v ON v.id = f.id ORDER BY v.members DESC, v.id DESC`,
  );
  const { total, topics, others } = rows[0] ?? { total: 0, topics: 0, others: 0 };
  return {
    total,
    topics,
    others,
    stories: rows.flatMap((row) => {
      const { total: _, topics: __, others: ___, ...story } = row;
      return story.id === null ? [] : [story];
    }),
  };
}

/** The newest answer of a search that said something new. */
export type ChangedAnswer = { search_id: Id; completion_id: Id; run_id: Id; observed_at: Date };

/** Of searches that are not removed, newest first. */
export async function readChangedAnswers({ pool }: Pooled, range: ActivityRange): Promise<ChangedAnswer[]> {
  return rowsOf<ChangedAnswer>(
    pool,
    statement`SELECT s.id AS search_id, n.completion_id, n.run_id, n.observed_at
      FROM strandline.searches s
      CROSS JOIN LATERAL (
        SELECT c.id AS completion_id, c.run_id, c.observed_at FROM strandline.completions c
        WHERE c.search_id = s.id AND ${within(statement`c.observed_at`, range)} AND c.changed AND c.similarity IS NOT NULL
        ORDER BY c.observed_at DESC, c.run_id DESC LIMIT 1
      ) n
      WHERE s.archived_at IS NULL ORDER BY n.observed_at DESC, s.id`,
  );
}

/** Messages to a channel that were given up. */
export type UndeliveredRow = { channel: string; messages: number; last_at: Date };

/** Of channels that are not removed, most messages first; by the last attempt. */
export async function tallyUndelivered({ pool }: Pooled, range: ActivityRange): Promise<UndeliveredRow[]> {
  return rowsOf<UndeliveredRow>(
    pool,
    statement`SELECT c.slug AS channel, count(*)::int AS messages, max(coalesce(d.last_attempt_at, d.created_at)) AS last_at
      FROM strandline.channels c JOIN strandline.deliveries d ON d.channel_id = c.id AND d.state = 'dead'
      WHERE c.archived_at IS NULL AND ${within(statement`coalesce(d.last_attempt_at, d.created_at)`, range)}
      GROUP BY 1 ORDER BY 2 DESC, 1`,
  );
}
