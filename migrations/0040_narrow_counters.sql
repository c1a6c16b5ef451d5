-- Counters change with most responses, what posts and authors say hardly ever: an update of a counter rewrote a post of 2 kB, in
-- most cases into another page. They move into narrow tables of their own, whose updates stay inside the page. Views keep what
-- they show. Whoever saves waits until this is committed, so that no counter is written behind its copy; whoever reads goes on.
LOCK TABLE strandline.authors, strandline.posts IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "strandline"."author_counters" (
	"author_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"followers_count" bigint,
	"favourites_count" bigint,
	"listed_count" bigint,
	"media_count" bigint,
	"statuses_count" bigint,
	"followers_count_at" timestamp (3) with time zone,
	"favourites_count_at" timestamp (3) with time zone,
	"listed_count_at" timestamp (3) with time zone,
	"media_count_at" timestamp (3) with time zone,
	"statuses_count_at" timestamp (3) with time zone
) WITH (fillfactor = 75);
--> statement-breakpoint
CREATE TABLE "strandline"."post_counters" (
	"post_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"reply_count" bigint,
	"repost_count" bigint,
	"like_count" bigint,
	"view_count" bigint,
	"quote_count" bigint,
	"impression_count" bigint,
	"bookmark_count" bigint,
	"reply_count_at" timestamp (3) with time zone,
	"repost_count_at" timestamp (3) with time zone,
	"like_count_at" timestamp (3) with time zone,
	"view_count_at" timestamp (3) with time zone,
	"quote_count_at" timestamp (3) with time zone,
	"impression_count_at" timestamp (3) with time zone,
	"bookmark_count_at" timestamp (3) with time zone
) WITH (fillfactor = 75);
--> statement-breakpoint
-- The newest value of each counter counts as observed when its row last changed: what came before that changed nothing so far either.
INSERT INTO strandline.author_counters (author_id, observed_at, followers_count, favourites_count, listed_count, media_count, statuses_count)
SELECT id, observed_at, followers_count, favourites_count, listed_count, media_count, statuses_count FROM strandline.authors ORDER BY id;
--> statement-breakpoint
INSERT INTO strandline.post_counters (post_id, observed_at, reply_count, repost_count, like_count, view_count, quote_count, impression_count, bookmark_count)
SELECT id, observed_at, reply_count, repost_count, like_count, view_count, quote_count, impression_count, bookmark_count FROM strandline.posts ORDER BY id;
--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" ADD PRIMARY KEY ("author_id");--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" ADD PRIMARY KEY ("post_id");--> statement-breakpoint
-- Without statistics, whoever joins them at once would read all of them.
ANALYZE strandline.author_counters, strandline.post_counters;
--> statement-breakpoint
ALTER TABLE "strandline"."authors" ADD COLUMN "content_hash" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."posts" ADD COLUMN "content_hash" bigint;--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.posts AS
  select p.id, p.external_id, sv.name as service, p.author_id, a.username as author_username, a.name as author_name,
    p.text, p.url, p.created_at, p.lang,
    c.reply_count, c.repost_count, c.like_count, c.view_count, c.quote_count, c.impression_count, c.bookmark_count,
    p.conversation_id, p.in_reply_to_screen_name, p.in_reply_to_status_id, p.in_reply_to_user_id,
    p.quoted_status_id, p.reposted_status_id, p.quote, p.is_quote_post, p.is_repost, p.summary_description,
    p.hashtags, p.mentions, p.urls, p.media, p.entities, p.first_seen_at, greatest(p.observed_at, c.observed_at) as observed_at
  from strandline.posts p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_counters c on c.post_id = p.id;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.authors AS
  select a.id, a.external_id, sv.name as service, a.username, a.name, a.url, a.description, a.location, a.profile_image_url,
    a.created_at, a.verified, a.is_blue_verified, a.can_dm, a.can_media_tag,
    c.followers_count, c.favourites_count, c.listed_count, c.media_count, c.statuses_count, a.first_seen_at, greatest(a.observed_at, c.observed_at) as observed_at
  from strandline.authors a join strandline.services sv on sv.id = a.service_id
  left join strandline.author_counters c on c.author_id = a.id;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.post_growth AS
  select p.id as post_id,
    sv.name as service,
    sv.kind as service_kind,
    p.author_id,
    a.username as author_username,
    p.text,
    p.url,
    p.created_at,
    p.first_seen_at,
    p.last_seen_at,
    (select s.slug from strandline.post_sightings o join strandline.looks l on l.search_id = o.search_id
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      join strandline.searches s on s.id = o.search_id
      where o.post_id = p.id order by coalesce(u.last_seen_at, l.at) desc, s.id limit 1) as last_seen_by,
    (select max(u.last_seen_at) from strandline.post_sightings o
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = p.id having count(*) = count(u.post_id)) as not_seen_since,
    g.changed_at,
    coalesce(g.first_reply_count, c.reply_count) as first_reply_count,
    c.reply_count,
    case when g.post_id is not null then g.gained_reply_count when c.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_reply_count,
    case when g.post_id is not null then g.lost_reply_count when c.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_reply_count,
    coalesce(g.lost_reply_count > 0, false) as replies_fell,
    coalesce(g.first_repost_count, c.repost_count) as first_repost_count,
    c.repost_count,
    case when g.post_id is not null then g.gained_repost_count when c.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_repost_count,
    case when g.post_id is not null then g.lost_repost_count when c.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_repost_count,
    coalesce(g.lost_repost_count > 0, false) as reposts_fell,
    coalesce(g.first_like_count, c.like_count) as first_like_count,
    c.like_count,
    case when g.post_id is not null then g.gained_like_count when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_like_count,
    case when g.post_id is not null then g.lost_like_count when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_like_count,
    coalesce(g.lost_like_count > 0, false) as likes_fell,
    coalesce(g.first_view_count, c.view_count) as first_view_count,
    c.view_count,
    case when g.post_id is not null then g.gained_view_count when c.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_view_count,
    case when g.post_id is not null then g.lost_view_count when c.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_view_count,
    coalesce(g.lost_view_count > 0, false) as views_fell,
    coalesce(g.first_quote_count, c.quote_count) as first_quote_count,
    c.quote_count,
    case when g.post_id is not null then g.gained_quote_count when c.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_quote_count,
    case when g.post_id is not null then g.lost_quote_count when c.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_quote_count,
    coalesce(g.lost_quote_count > 0, false) as quotes_fell,
    coalesce(g.first_impression_count, c.impression_count) as first_impression_count,
    c.impression_count,
    case when g.post_id is not null then g.gained_impression_count when c.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_impression_count,
    case when g.post_id is not null then g.lost_impression_count when c.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_impression_count,
    coalesce(g.lost_impression_count > 0, false) as impressions_fell,
    coalesce(g.first_bookmark_count, c.bookmark_count) as first_bookmark_count,
    c.bookmark_count,
    case when g.post_id is not null then g.gained_bookmark_count when c.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_bookmark_count,
    case when g.post_id is not null then g.lost_bookmark_count when c.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_bookmark_count,
    coalesce(g.lost_bookmark_count > 0, false) as bookmarks_fell,
    case when coalesce(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null then coalesce(c.like_count, 0) + coalesce(c.repost_count, 0) + coalesce(c.reply_count, 0) + coalesce(c.quote_count, 0) end as engagement,
    case when g.post_id is not null then case when coalesce(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count) is not null then coalesce(g.gained_like_count, 0) + coalesce(g.gained_repost_count, 0) + coalesce(g.gained_reply_count, 0) + coalesce(g.gained_quote_count, 0) end when coalesce(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_engagement,
    case when g.post_id is not null then g.step_like_count / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as likes_per_hour,
    case when g.post_id is not null then g.step_engagement / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when coalesce(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as engagement_per_hour,
    case when c.like_count is not null and p.last_seen_at > p.first_seen_at then coalesce((
      select sum(greatest(h.like_count - h.like_count_before, 0)) from (
        select e.observed_at, e.like_count, lag(e.like_count) over (order by e.observed_at) as like_count_before
        from strandline.post_snapshots e
        where e.post_id = p.id and e.like_count is not null and e.observed_at >= coalesce((
          select max(b.observed_at) from strandline.post_snapshots b
          where b.post_id = p.id and b.like_count is not null and b.observed_at <= p.last_seen_at - interval '24 hours'), '-infinity')
      ) h where h.observed_at > p.last_seen_at - interval '24 hours'
    ), 0) / least(24, extract(epoch from p.last_seen_at - p.first_seen_at)::float8 / 3600) end as likes_per_hour_24h
  from (
    select q.id, q.service_id, q.author_id, q.text, q.url, q.created_at, q.first_seen_at, (select max(coalesce(u.last_seen_at, l.at)) from strandline.post_sightings o
      join strandline.looks l on l.search_id = o.search_id
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = q.id) as last_seen_at
    from strandline.posts q
  ) p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_gains g on g.post_id = p.id
  left join strandline.post_counters c on c.post_id = p.id;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.top_authors AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name::bigint as author_id, a.username as author_username, a.name as author_name, c.followers_count, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'author'
  left join strandline.authors a on a.id = x.name::bigint
  left join strandline.author_counters c on c.author_id = a.id;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.discoveries AS
  select d.id, d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic, d.run_id,
    case d.kind when 'post' then d.thing end as post_id,
    case d.kind when 'link' then d.thing end as link_id,
    case d.kind when 'completion' then d.thing end as completion_id,
    coalesce(p.text, l.title,
      (select c.summary from strandline.completions c where d.kind = 'completion' and c.id = d.thing),
      (select k.sentence from strandline.spikes k where d.kind = 'spike' and k.id = d.thing)) as text,
    coalesce(p.url, l.canonical) as url,
    a.username as author_username,
    coalesce(p.created_at, l.published_at,
      (select k.window_start from strandline.spikes k where d.kind = 'spike' and k.id = d.thing)) as created_at,
    c.like_count, c.repost_count, c.reply_count, c.view_count,
    case d.kind when 'spike' then d.thing end as spike_id
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on d.kind = 'post' and p.id = d.thing
  left join strandline.authors a on a.id = p.author_id
  left join strandline.links l on d.kind = 'link' and l.id = d.thing
  left join strandline.post_counters c on d.kind = 'post' and c.post_id = d.thing;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.posts_in_sight AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, p.id as post_id, l.at as last_seen_at,
    p.created_at, case when coalesce(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null
      then coalesce(c.like_count, 0) + coalesce(c.repost_count, 0) + coalesce(c.reply_count, 0) + coalesce(c.quote_count, 0) end as engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.looks l on l.search_id = s.id
  join strandline.run_results rr on rr.run_id = l.run_id
  cross join lateral unnest(rr.post_ids) i(id)
  join strandline.posts p on p.id = i.id
  left join strandline.post_counters c on c.post_id = i.id;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.rising_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, r.post_id, p.author_id, a.username as author_username, p.text, p.url, p.created_at, r.as_of,
    r.age_hours, r.gained as gained_engagement, r.observed_hours, r.gained / r.observed_hours as per_hour,
    r.typical_per_hour, r.compared_with,
    r.gained / r.observed_hours - r.typical_per_hour as ahead_per_hour,
    r.gained / r.observed_hours / nullif(r.typical_per_hour, 0) as ratio,
    c.like_count, c.repost_count, c.reply_count, c.quote_count, c.view_count
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_rising r on r.search_id = s.id
  join strandline.posts p on p.id = r.post_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_counters c on c.post_id = r.post_id;
--> statement-breakpoint
ALTER TABLE "strandline"."authors" DROP COLUMN "followers_count";--> statement-breakpoint
ALTER TABLE "strandline"."authors" DROP COLUMN "favourites_count";--> statement-breakpoint
ALTER TABLE "strandline"."authors" DROP COLUMN "listed_count";--> statement-breakpoint
ALTER TABLE "strandline"."authors" DROP COLUMN "media_count";--> statement-breakpoint
ALTER TABLE "strandline"."authors" DROP COLUMN "statuses_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "reply_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "repost_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "like_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "view_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "quote_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "impression_count";--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "bookmark_count";--> statement-breakpoint
-- The room that was left in each page for updates of counters is filled with posts and authors again.
ALTER TABLE strandline.authors RESET (fillfactor);--> statement-breakpoint
ALTER TABLE strandline.posts RESET (fillfactor);
--> statement-breakpoint
-- Which searches have a post is asked as often as whether one has it: with the post first, one key serves both, and no index beside
-- it is kept. A thing's discoveries are unique in the order in which ids rise, which fills the pages of that index.
ALTER TABLE "strandline"."discoveries" DROP CONSTRAINT "discoveries_thing_key";--> statement-breakpoint
DROP INDEX "strandline"."post_sightings_post";--> statement-breakpoint
DROP INDEX "strandline"."unseen_post";--> statement-breakpoint
ALTER TABLE "strandline"."post_sightings" DROP CONSTRAINT "post_sightings_search_id_post_id_pk";--> statement-breakpoint
ALTER TABLE "strandline"."unseen" DROP CONSTRAINT "unseen_search_id_post_id_pk";--> statement-breakpoint
ALTER TABLE "strandline"."post_sightings" ADD CONSTRAINT "post_sightings_post_id_search_id_pk" PRIMARY KEY("post_id","search_id");--> statement-breakpoint
ALTER TABLE "strandline"."unseen" ADD CONSTRAINT "unseen_post_id_search_id_pk" PRIMARY KEY("post_id","search_id");--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" ADD CONSTRAINT "discoveries_thing_key" UNIQUE("kind","thing","search_id");
