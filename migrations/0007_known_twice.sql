-- Whether two responses knew a counter. Locks the table (ACCESS EXCLUSIVE) until the end of the migration: about half a minute for
-- a million posts, all of whose rows are written.
ALTER TABLE strandline.post_counters
  ADD COLUMN reply_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN repost_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN like_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN view_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN quote_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN impression_count_twice boolean NOT NULL DEFAULT false,
  ADD COLUMN bookmark_count_twice boolean NOT NULL DEFAULT false;

-- As far as it is known: a result of a search had the post after its counters changed, or a gain was derived.
WITH seen AS (
  SELECT post_id, max(at) AS last_seen_at FROM (
    SELECT post_id, last_seen_at AS at FROM strandline.dropped_posts
    UNION ALL
    SELECT u.id, l.at FROM strandline.latest_results l
    JOIN strandline.run_results r ON r.run_id = l.run_id CROSS JOIN LATERAL unnest(r.post_ids) u(id)
  ) s GROUP BY 1
)
UPDATE strandline.post_counters c SET
  reply_count_twice = c.reply_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_reply_count IS NOT NULL) IS TRUE,
  repost_count_twice = c.repost_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_repost_count IS NOT NULL) IS TRUE,
  like_count_twice = c.like_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_like_count IS NOT NULL) IS TRUE,
  view_count_twice = c.view_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_view_count IS NOT NULL) IS TRUE,
  quote_count_twice = c.quote_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_quote_count IS NOT NULL) IS TRUE,
  impression_count_twice = c.impression_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_impression_count IS NOT NULL) IS TRUE,
  bookmark_count_twice = c.bookmark_count IS NOT NULL AND (s.last_seen_at > c.observed_at OR g.gained_bookmark_count IS NOT NULL) IS TRUE
FROM strandline.post_counters o
LEFT JOIN seen s ON s.post_id = o.post_id
LEFT JOIN strandline.post_gains g ON g.post_id = o.post_id
WHERE o.post_id = c.post_id AND (s.last_seen_at > c.observed_at OR g.post_id IS NOT NULL);
