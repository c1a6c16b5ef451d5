CREATE INDEX "discoveries_search" ON "strandline"."discoveries" USING btree ("search_id","at");--> statement-breakpoint
CREATE INDEX "discoveries_at" ON "strandline"."discoveries" USING brin ("at");
--> statement-breakpoint
-- What searches asked for and when they rested, and the counters of authors over time.
CREATE VIEW strandline_analytics.search_versions AS
  select v.search_id, s.slug as search, t.slug as topic, v.version, v.request_version, v.created_at, v.prompt, v.tools, v.model,
    v.date_filter, v.streaming, v.extra, v.cron, v.every_seconds, v.tz
  from strandline.search_versions v
  join strandline.searches s on s.id = v.search_id
  join strandline.topics t on t.id = s.topic_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.search_versions IS 'Every version of each search: what it asked for, and when, from when on. A change of the request begins a new baseline.';
COMMENT ON COLUMN strandline_analytics.search_versions.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_versions.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_versions.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_versions.version IS 'Version number, from 1.';
COMMENT ON COLUMN strandline_analytics.search_versions.request_version IS 'Version number with which its request began; the same as version where the change was one of the request.';
COMMENT ON COLUMN strandline_analytics.search_versions.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.search_versions.prompt IS 'What is asked.';
COMMENT ON COLUMN strandline_analytics.search_versions.tools IS 'Tools of an ai search, in the words of the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.search_versions.date_filter IS 'How far back an ai search looks; null for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.streaming IS 'Whether the answer is streamed.';
COMMENT ON COLUMN strandline_analytics.search_versions.extra IS 'Members beyond the specification that are passed through.';
COMMENT ON COLUMN strandline_analytics.search_versions.cron IS 'Cron expression of five fields; null for an interval.';
COMMENT ON COLUMN strandline_analytics.search_versions.every_seconds IS 'Interval in seconds; null for a cron expression.';
COMMENT ON COLUMN strandline_analytics.search_versions.tz IS 'Time zone of the cron expression (IANA name).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.search_states AS
  select x.search_id, s.slug as search, t.slug as topic, x.state, x.reason, x.began_at, x.ended_at,
    extract(epoch from x.ended_at - x.began_at)::float8 as seconds
  from strandline.search_states x
  join strandline.searches s on s.id = x.search_id
  join strandline.topics t on t.id = s.topic_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.search_states IS 'Every state that each search was in, and for how long. Time in which it was not active was not observed, which is not silence.';
COMMENT ON COLUMN strandline_analytics.search_states.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_states.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_states.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_states.state IS 'active, paused, broken or capped.';
COMMENT ON COLUMN strandline_analytics.search_states.reason IS 'Why it was in this state; null where nothing is to be said.';
COMMENT ON COLUMN strandline_analytics.search_states.began_at IS 'When it began (UTC).';
COMMENT ON COLUMN strandline_analytics.search_states.ended_at IS 'When it ended (UTC); null while it lasts.';
COMMENT ON COLUMN strandline_analytics.search_states.seconds IS 'From began_at to ended_at, in seconds; null while it lasts.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.author_snapshots AS
  select author_id, observed_at, followers_count, favourites_count, listed_count, media_count, statuses_count
  from strandline.author_snapshots;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.author_snapshots IS 'Counters of authors over time: one row per author and change.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.author_id IS 'The author.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.observed_at IS 'When it was observed (UTC).';
COMMENT ON COLUMN strandline_analytics.author_snapshots.followers_count IS 'Followers at that time; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.favourites_count IS 'Posts liked at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.listed_count IS 'Number of lists at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.media_count IS 'Number of media posted at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.statuses_count IS 'Posts written at that time; null when unknown.';
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.post_at_age.created_at IS 'The post''s own time (UTC).';
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.4';
