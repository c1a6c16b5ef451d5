CREATE TABLE "strandline"."search_rising" (
	"search_id" bigint NOT NULL,
	"post_id" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	"age_hours" double precision,
	"gained" bigint NOT NULL,
	"observed_hours" double precision NOT NULL,
	"typical_per_hour" double precision,
	"compared_with" bigint,
	CONSTRAINT "search_rising_search_id_post_id_pk" PRIMARY KEY("search_id","post_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_typical" (
	"search_id" bigint NOT NULL,
	"posts" bigint NOT NULL,
	"reply_count" double precision,
	"repost_count" double precision,
	"like_count" double precision,
	"view_count" double precision,
	"quote_count" double precision,
	"impression_count" double precision,
	"bookmark_count" double precision,
	"engagement" double precision,
	"hours" integer NOT NULL,
	CONSTRAINT "search_typical_search_id_hours_pk" PRIMARY KEY("search_id","hours")
);
--> statement-breakpoint
CREATE INDEX "search_rising_post" ON "strandline"."search_rising" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "post_ages_most" ON "strandline"."post_ages" USING btree ("search_id","hours",(case when coalesce("like_count", "repost_count", "reply_count", "quote_count") is not null then coalesce("like_count", 0) + coalesce("repost_count", 0) + coalesce("reply_count", 0) + coalesce("quote_count", 0) end) desc nulls last,"post_id" DESC NULLS FIRST);
--> statement-breakpoint
-- What is typical is filled in at once. What rises is found by the next run of each search.
INSERT INTO strandline.search_typical (search_id, hours, posts, reply_count, repost_count, like_count, view_count, quote_count, impression_count, bookmark_count, engagement)
SELECT s.id, h.hours, m.* FROM strandline.searches s
CROSS JOIN (VALUES (1), (3), (8), (24), (72)) h(hours)
CROSS JOIN LATERAL (
  SELECT count(*) AS posts, case when count(e.reply_count) >= 5 then percentile_cont(0.5) within group (order by e.reply_count) end as reply_count, case when count(e.repost_count) >= 5 then percentile_cont(0.5) within group (order by e.repost_count) end as repost_count, case when count(e.like_count) >= 5 then percentile_cont(0.5) within group (order by e.like_count) end as like_count, case when count(e.view_count) >= 5 then percentile_cont(0.5) within group (order by e.view_count) end as view_count, case when count(e.quote_count) >= 5 then percentile_cont(0.5) within group (order by e.quote_count) end as quote_count, case when count(e.impression_count) >= 5 then percentile_cont(0.5) within group (order by e.impression_count) end as impression_count, case when count(e.bookmark_count) >= 5 then percentile_cont(0.5) within group (order by e.bookmark_count) end as bookmark_count, case when count(e.engagement) >= 5 then percentile_cont(0.5) within group (order by e.engagement) end as engagement
  FROM (
    SELECT a.*, case when coalesce(a.like_count, a.repost_count, a.reply_count, a.quote_count) is not null then coalesce(a.like_count, 0) + coalesce(a.repost_count, 0) + coalesce(a.reply_count, 0) + coalesce(a.quote_count, 0) end AS engagement FROM strandline.post_ages a
    WHERE a.search_id = s.id AND a.hours = h.hours ORDER BY a.at DESC, a.post_id DESC LIMIT 500
  ) e
  HAVING count(*) > 0
) m;
--> statement-breakpoint
ALTER TABLE strandline.search_typical SET (fillfactor = 50);
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.typical_at_age AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, m.hours, m.posts, m.reply_count, m.repost_count, m.like_count, m.view_count, m.quote_count, m.impression_count, m.bookmark_count, m.engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_typical m on m.search_id = s.id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.typical_at_age IS 'What is typical of a search: medians over its posts at one age. Only ages that were observed, of the 500 posts that reached the age last, as of the search''s last look.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.rising_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, r.post_id, p.author_id, a.username as author_username, p.text, p.url, p.created_at, r.as_of,
    r.age_hours, r.gained as gained_engagement, r.observed_hours, r.gained / r.observed_hours as per_hour,
    r.typical_per_hour, r.compared_with,
    r.gained / r.observed_hours - r.typical_per_hour as ahead_per_hour,
    r.gained / r.observed_hours / nullif(r.typical_per_hour, 0) as ratio,
    p.like_count, p.repost_count, p.reply_count, p.quote_count, p.view_count
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_rising r on r.search_id = s.id
  join strandline.posts p on p.id = r.post_id
  left join strandline.authors a on a.id = p.author_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_posts IS 'Posts that gain more than is typical of their search at their age. Gain is what likes, reposts, replies and quotes rose by since the look before the last 6 hours of the search (steps up only; a post that was written in these hours is counted from zero, at its own time; one that came into sight later, from then on). Typical is the growth per hour of the median post between the two ages (0, 1, 3, 8, 24, 72 h) around its own; beyond 72 h, that between 24 and 72 h. Listed are posts that gained at least 5 and more per hour than is typical, or where nothing is typical yet.';
COMMENT ON COLUMN strandline_analytics.rising_posts.as_of IS 'The newest look of the search that was compared (UTC): "now" in this row. Of a search that rests it is old.';
COMMENT ON COLUMN strandline_analytics.rising_posts.gained_engagement IS 'Likes, reposts, replies and quotes gained in the hours before as_of (observed_hours), as far as they were observed.';
COMMENT ON COLUMN strandline_analytics.rising_posts.observed_hours IS 'Hours over which that was gained: since the look before the last 6 hours, or since it was written or came into sight. Never over a gap of more than two intervals.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.7';
