-- Volume counts each post of a topic once, beside the posts of each search, and also posts without a time: by the time of their sighting, as
-- lists and days do. What waits to be derived is counted then.
DROP INDEX "strandline"."post_sightings_time";--> statement-breakpoint
CREATE INDEX "post_sightings_time" ON "strandline"."post_sightings" USING btree ("search_id",least("post_created_at", "first_seen_at"),"post_id");--> statement-breakpoint
ALTER TABLE "strandline"."volume" ADD COLUMN "topic_posts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
WITH counted AS MATERIALIZED (
  SELECT g.search_id, date_bin('15 minutes', least(g.post_created_at, g.first_seen_at), 'epoch') AS bucket_at,
    count(*)::integer AS posts, (count(*) FILTER (WHERE g.nth = 1))::integer AS topic_posts
  FROM (
    SELECT o.*, row_number() OVER (PARTITION BY s.topic_id, o.post_id ORDER BY o.first_seen_at, o.search_id) AS nth
    FROM strandline.post_sightings o JOIN strandline.searches s ON s.id = o.search_id
  ) g
  WHERE (g.search_id, g.post_id) NOT IN (SELECT p.search_id, u.id FROM strandline.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id))
  GROUP BY 1, 2
), written AS (
  INSERT INTO strandline.volume AS v (search_id, bucket_at, posts, topic_posts, cut)
  SELECT search_id, bucket_at, posts, topic_posts, false FROM counted
  ON CONFLICT (search_id, bucket_at) DO UPDATE
    SET posts = excluded.posts, topic_posts = excluded.topic_posts, exposed_posts = least(v.exposed_posts, excluded.posts)
)
UPDATE strandline.volume v SET posts = 0, exposed_posts = 0
WHERE v.posts > 0 AND NOT EXISTS (SELECT FROM counted c WHERE c.search_id = v.search_id AND c.bucket_at = v.bucket_at);--> statement-breakpoint
UPDATE strandline.search_days d SET posts = v.posts, topic_posts = v.topic_posts
FROM (
  SELECT search_id, date_trunc('day', bucket_at, 'UTC') AS day_at, sum(posts) AS posts, sum(topic_posts) AS topic_posts
  FROM strandline.volume GROUP BY 1, 2
) v
WHERE v.search_id = d.search_id AND v.day_at = d.day_at AND (d.posts, d.topic_posts) IS DISTINCT FROM (v.posts, v.topic_posts);
