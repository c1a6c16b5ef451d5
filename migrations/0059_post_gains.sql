-- Gains of posts are in their counters, written by the save.
ALTER TABLE "strandline"."post_counters" ADD COLUMN "changed_before_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_reply_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_reply_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_reply_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_reply_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_repost_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_repost_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_repost_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_repost_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_like_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_like_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_like_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_like_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_view_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_view_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_view_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_view_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_quote_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_quote_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_quote_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_quote_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_impression_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_impression_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_impression_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_impression_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "first_bookmark_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "gained_bookmark_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "lost_bookmark_count" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD COLUMN "was_bookmark_count" bigint;--> statement-breakpoint
-- What each had before its last counted change is in the snapshots.
UPDATE strandline.post_counters k SET changed_before_at = g.changed_before_at,
  first_reply_count = g.first_reply_count, gained_reply_count = g.gained_reply_count, lost_reply_count = g.lost_reply_count, was_reply_count = w.reply_count,
  first_repost_count = g.first_repost_count, gained_repost_count = g.gained_repost_count, lost_repost_count = g.lost_repost_count, was_repost_count = w.repost_count,
  first_like_count = g.first_like_count, gained_like_count = g.gained_like_count, lost_like_count = g.lost_like_count, was_like_count = w.like_count,
  first_view_count = g.first_view_count, gained_view_count = g.gained_view_count, lost_view_count = g.lost_view_count, was_view_count = w.view_count,
  first_quote_count = g.first_quote_count, gained_quote_count = g.gained_quote_count, lost_quote_count = g.lost_quote_count, was_quote_count = w.quote_count,
  first_impression_count = g.first_impression_count, gained_impression_count = g.gained_impression_count, lost_impression_count = g.lost_impression_count, was_impression_count = w.impression_count,
  first_bookmark_count = g.first_bookmark_count, gained_bookmark_count = g.gained_bookmark_count, lost_bookmark_count = g.lost_bookmark_count, was_bookmark_count = w.bookmark_count
FROM strandline.post_gains g
LEFT JOIN LATERAL (
  SELECT CASE WHEN e.reply_count IS NOT NULL THEN (SELECT reply_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND reply_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS reply_count, CASE WHEN e.repost_count IS NOT NULL THEN (SELECT repost_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND repost_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS repost_count, CASE WHEN e.like_count IS NOT NULL THEN (SELECT like_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND like_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS like_count, CASE WHEN e.view_count IS NOT NULL THEN (SELECT view_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND view_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS view_count, CASE WHEN e.quote_count IS NOT NULL THEN (SELECT quote_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND quote_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS quote_count, CASE WHEN e.impression_count IS NOT NULL THEN (SELECT impression_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND impression_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS impression_count, CASE WHEN e.bookmark_count IS NOT NULL THEN (SELECT bookmark_count FROM strandline.post_snapshots WHERE post_id = g.post_id AND observed_at < g.changed_at AND bookmark_count IS NOT NULL ORDER BY observed_at DESC LIMIT 1) END AS bookmark_count
  FROM strandline.post_snapshots e WHERE e.post_id = g.post_id AND e.observed_at = g.changed_at
) w ON true
WHERE k.post_id = g.post_id;--> statement-breakpoint
-- Changes that were not counted yet: these posts are summed up from their snapshots, as `store/derive/post-gains.ts` does.
WITH waiting AS MATERIALIZED (
  SELECT DISTINCT u.id FROM strandline.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id)
), steps AS MATERIALIZED (
  SELECT w.*, w.known_reply_count[cardinality(w.known_reply_count)] AS was_reply_count, w.known_repost_count[cardinality(w.known_repost_count)] AS was_repost_count, w.known_like_count[cardinality(w.known_like_count)] AS was_like_count, w.known_view_count[cardinality(w.known_view_count)] AS was_view_count, w.known_quote_count[cardinality(w.known_quote_count)] AS was_quote_count, w.known_impression_count[cardinality(w.known_impression_count)] AS was_impression_count, w.known_bookmark_count[cardinality(w.known_bookmark_count)] AS was_bookmark_count
  FROM (
    SELECT e.*, lag(e.observed_at) OVER w AS before_at,
      array_agg(reply_count) FILTER (WHERE reply_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_reply_count, array_agg(repost_count) FILTER (WHERE repost_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_repost_count, array_agg(like_count) FILTER (WHERE like_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_like_count, array_agg(view_count) FILTER (WHERE view_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_view_count, array_agg(quote_count) FILTER (WHERE quote_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_quote_count, array_agg(impression_count) FILTER (WHERE impression_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_impression_count, array_agg(bookmark_count) FILTER (WHERE bookmark_count IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_bookmark_count
    FROM waiting i JOIN strandline.post_snapshots e ON e.post_id = i.id
    WINDOW w AS (PARTITION BY e.post_id ORDER BY e.observed_at)
  ) w WHERE w.before_at IS NOT NULL
)
UPDATE strandline.post_counters k SET changed_before_at = g.before_at,
  first_reply_count = g.first_reply_count, gained_reply_count = g.gained_reply_count, lost_reply_count = g.lost_reply_count, was_reply_count = g.was_reply_count,
  first_repost_count = g.first_repost_count, gained_repost_count = g.gained_repost_count, lost_repost_count = g.lost_repost_count, was_repost_count = g.was_repost_count,
  first_like_count = g.first_like_count, gained_like_count = g.gained_like_count, lost_like_count = g.lost_like_count, was_like_count = g.was_like_count,
  first_view_count = g.first_view_count, gained_view_count = g.gained_view_count, lost_view_count = g.lost_view_count, was_view_count = g.was_view_count,
  first_quote_count = g.first_quote_count, gained_quote_count = g.gained_quote_count, lost_quote_count = g.lost_quote_count, was_quote_count = g.was_quote_count,
  first_impression_count = g.first_impression_count, gained_impression_count = g.gained_impression_count, lost_impression_count = g.lost_impression_count, was_impression_count = g.was_impression_count,
  first_bookmark_count = g.first_bookmark_count, gained_bookmark_count = g.gained_bookmark_count, lost_bookmark_count = g.lost_bookmark_count, was_bookmark_count = g.was_bookmark_count
FROM (
  SELECT s.post_id, (array_agg(s.before_at ORDER BY s.observed_at DESC))[1] AS before_at,
    (array_agg(coalesce(s.was_reply_count, s.reply_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_reply_count, s.reply_count) IS NOT NULL))[1] AS first_reply_count, sum(greatest(s.reply_count - s.was_reply_count, 0)) FILTER (WHERE s.reply_count - s.was_reply_count IS NOT NULL) AS gained_reply_count, sum(greatest(s.was_reply_count - s.reply_count, 0)) FILTER (WHERE s.reply_count - s.was_reply_count IS NOT NULL) AS lost_reply_count, (array_agg(CASE WHEN s.reply_count IS NOT NULL THEN s.was_reply_count END ORDER BY s.observed_at DESC))[1] AS was_reply_count,
    (array_agg(coalesce(s.was_repost_count, s.repost_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_repost_count, s.repost_count) IS NOT NULL))[1] AS first_repost_count, sum(greatest(s.repost_count - s.was_repost_count, 0)) FILTER (WHERE s.repost_count - s.was_repost_count IS NOT NULL) AS gained_repost_count, sum(greatest(s.was_repost_count - s.repost_count, 0)) FILTER (WHERE s.repost_count - s.was_repost_count IS NOT NULL) AS lost_repost_count, (array_agg(CASE WHEN s.repost_count IS NOT NULL THEN s.was_repost_count END ORDER BY s.observed_at DESC))[1] AS was_repost_count,
    (array_agg(coalesce(s.was_like_count, s.like_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_like_count, s.like_count) IS NOT NULL))[1] AS first_like_count, sum(greatest(s.like_count - s.was_like_count, 0)) FILTER (WHERE s.like_count - s.was_like_count IS NOT NULL) AS gained_like_count, sum(greatest(s.was_like_count - s.like_count, 0)) FILTER (WHERE s.like_count - s.was_like_count IS NOT NULL) AS lost_like_count, (array_agg(CASE WHEN s.like_count IS NOT NULL THEN s.was_like_count END ORDER BY s.observed_at DESC))[1] AS was_like_count,
    (array_agg(coalesce(s.was_view_count, s.view_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_view_count, s.view_count) IS NOT NULL))[1] AS first_view_count, sum(greatest(s.view_count - s.was_view_count, 0)) FILTER (WHERE s.view_count - s.was_view_count IS NOT NULL) AS gained_view_count, sum(greatest(s.was_view_count - s.view_count, 0)) FILTER (WHERE s.view_count - s.was_view_count IS NOT NULL) AS lost_view_count, (array_agg(CASE WHEN s.view_count IS NOT NULL THEN s.was_view_count END ORDER BY s.observed_at DESC))[1] AS was_view_count,
    (array_agg(coalesce(s.was_quote_count, s.quote_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_quote_count, s.quote_count) IS NOT NULL))[1] AS first_quote_count, sum(greatest(s.quote_count - s.was_quote_count, 0)) FILTER (WHERE s.quote_count - s.was_quote_count IS NOT NULL) AS gained_quote_count, sum(greatest(s.was_quote_count - s.quote_count, 0)) FILTER (WHERE s.quote_count - s.was_quote_count IS NOT NULL) AS lost_quote_count, (array_agg(CASE WHEN s.quote_count IS NOT NULL THEN s.was_quote_count END ORDER BY s.observed_at DESC))[1] AS was_quote_count,
    (array_agg(coalesce(s.was_impression_count, s.impression_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_impression_count, s.impression_count) IS NOT NULL))[1] AS first_impression_count, sum(greatest(s.impression_count - s.was_impression_count, 0)) FILTER (WHERE s.impression_count - s.was_impression_count IS NOT NULL) AS gained_impression_count, sum(greatest(s.was_impression_count - s.impression_count, 0)) FILTER (WHERE s.impression_count - s.was_impression_count IS NOT NULL) AS lost_impression_count, (array_agg(CASE WHEN s.impression_count IS NOT NULL THEN s.was_impression_count END ORDER BY s.observed_at DESC))[1] AS was_impression_count,
    (array_agg(coalesce(s.was_bookmark_count, s.bookmark_count) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_bookmark_count, s.bookmark_count) IS NOT NULL))[1] AS first_bookmark_count, sum(greatest(s.bookmark_count - s.was_bookmark_count, 0)) FILTER (WHERE s.bookmark_count - s.was_bookmark_count IS NOT NULL) AS gained_bookmark_count, sum(greatest(s.was_bookmark_count - s.bookmark_count, 0)) FILTER (WHERE s.bookmark_count - s.was_bookmark_count IS NOT NULL) AS lost_bookmark_count, (array_agg(CASE WHEN s.bookmark_count IS NOT NULL THEN s.was_bookmark_count END ORDER BY s.observed_at DESC))[1] AS was_bookmark_count
  FROM steps s GROUP BY s.post_id
) g
WHERE k.post_id = g.post_id;
-- after views: `post_growth` and `search_post_gains` read the table that goes.
DROP TABLE "strandline"."post_gains" CASCADE;
