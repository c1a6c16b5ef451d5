/** What was new in a span of time: how much in each topic, and the candidates for the best of it. */
import { isShown } from './data-scope.ts';
import { engagementSql } from '../../model/counters.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { isIrrelevant } from '../judgements/verdicts.ts';
import type { SearchSpan } from './span-activity.ts';

/** Discoveries between two ids of the feed instead of two times: what is after the first, up to the second. */
export type FeedRange = { after: Id; upTo: Id };

/** A candidate, with the number of new things of its topic and kind. */
export type NewCandidate = {
  topic_id: Id;
  kind: 'post' | 'link';
  /** Of the discovery. */
  id: Id;
  total: number;
  /** Whether there are more than were counted. */
  least: boolean;
};

/** New things of a search that are counted. */
const MAX_COUNTED = 5_000;
/** Candidates of a topic and kind: copies among them are folded. */
const MAX_CANDIDATES = 60;

/** The best new things of each topic and kind, best first. @param range takes precedence over the times of the span */
export async function readNewCandidates(
  { pool }: Pooled,
  { searchIds, from, until }: SearchSpan,
  range: FeedRange | null,
): Promise<NewCandidate[]> {
  const { after = null, upTo = null } = range ?? {};
  // Each thing once per topic, without what was there at the start. Posts by engagement, links newest first.
  return rowsOf<NewCandidate>(
    pool,
    statement`WITH found AS MATERIALIZED (
        SELECT s.topic_id, d.id, d.kind, d.thing, d.nth
        FROM unnest(${searchIds}::bigint[]) u(id)
        JOIN strandline.searches s ON s.id = u.id
        JOIN strandline.topics t ON t.id = s.topic_id
        CROSS JOIN LATERAL (
          SELECT d.id, d.kind, d.thing, row_number() OVER (ORDER BY d.id DESC) AS nth FROM strandline.discoveries d
          WHERE d.search_id = u.id AND d.first_in_topic AND NOT d.baseline AND ${isShown('d')} AND d.kind IN ('post', 'link')
            AND NOT ${isIrrelevant('d')} AND CASE WHEN ${after}::bigint IS NULL
              THEN d.at >= ${from} AND d.at < ${until} ELSE d.id > ${after} AND d.id <= ${upTo} END
          ORDER BY d.id DESC LIMIT ${MAX_COUNTED}
        ) d
      ), ranked AS (
        SELECT f.topic_id, f.kind, f.id,
          count(*) OVER same AS total, max(f.nth) OVER same >= ${MAX_COUNTED} AS least,
          row_number() OVER (
            PARTITION BY f.topic_id, f.kind ORDER BY ${verbatim(engagementSql('c.'))} DESC NULLS LAST, f.id DESC) AS place
        FROM found f LEFT JOIN strandline.post_counters c ON f.kind = 'post' AND c.post_id = f.thing
        WINDOW same AS (PARTITION BY f.topic_id, f.kind)
      )
      SELECT topic_id, kind, id, total::int AS total, least FROM ranked
      WHERE place <= ${MAX_CANDIDATES} ORDER BY topic_id, kind, place`,
    'new_candidates',
  );
}
