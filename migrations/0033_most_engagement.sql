ALTER TABLE "strandline"."unseen" ADD COLUMN "created_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."unseen" ADD COLUMN "engagement" bigint;--> statement-breakpoint
UPDATE strandline.unseen u SET created_at = p.created_at, engagement = CASE WHEN coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) IS NOT NULL
  THEN coalesce(p.like_count, 0) + coalesce(p.repost_count, 0) + coalesce(p.reply_count, 0) + coalesce(p.quote_count, 0) END
FROM strandline.posts p WHERE p.id = u.post_id;
--> statement-breakpoint
CREATE INDEX "unseen_most" ON "strandline"."unseen" USING btree ("search_id",date_bin('1 day', "created_at", 'epoch'),"engagement" DESC NULLS LAST,"post_id","created_at");
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.unseen_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, u.post_id, u.last_seen_at as not_seen_since,
    exists (select from strandline.post_sightings o where o.post_id = u.post_id and o.search_id <> u.search_id
      and not exists (select from strandline.unseen n where n.search_id = o.search_id and n.post_id = o.post_id)) as seen_elsewhere,
    u.created_at, date_bin('1 day', u.created_at, 'epoch') as bucket_at, u.engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.unseen u on u.search_id = s.id;
COMMENT ON COLUMN strandline_analytics.unseen_posts.created_at IS 'When it was written (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.bucket_at IS 'Midnight (UTC) of the day on which it was written; null when unknown.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.engagement IS 'Likes, reposts, replies and quotes together, as last observed by any search; null when all of them are unknown.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.posts_in_sight AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, p.id as post_id, l.at as last_seen_at,
    p.created_at, case when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null
      then coalesce(p.like_count, 0) + coalesce(p.repost_count, 0) + coalesce(p.reply_count, 0) + coalesce(p.quote_count, 0) end as engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.looks l on l.search_id = s.id
  join strandline.run_results rr on rr.run_id = l.run_id
  cross join lateral unnest(rr.post_ids) i(id)
  join strandline.posts p on p.id = i.id;
COMMENT ON VIEW strandline_analytics.posts_in_sight IS 'Posts that the newest answer of each search holds. With unseen_posts: all that it had.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.last_seen_at IS 'When that answer came (UTC).';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.created_at IS 'When it was written (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.engagement IS 'Likes, reposts, replies and quotes together, as last observed by any search; null when all of them are unknown.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.10';
