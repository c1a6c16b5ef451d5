-- Views of volume, coverage and spikes; columns are appended to the views that were there.
CREATE VIEW strandline_analytics.coverage AS
  select c.run_id, c.search_id, s.slug as search, c.observed_from, c.observed_until, c.reached_from,
    c.observed_from > c.reached_from as cut, c.every_seconds, c.posts
  from strandline.coverage c join strandline.searches s on s.id = c.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.coverage IS 'What each succeeded run could see of its search''s posts. Time that no run covers was not observed, which is not silence.';
COMMENT ON COLUMN strandline_analytics.coverage.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.coverage.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.coverage.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.coverage.observed_from IS 'Every post from here on was in its answer (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.observed_until IS 'Up to here: when the answer came (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.reached_from IS 'Without its limit it would have seen back to here (UTC); before observed_from some posts are missing.';
COMMENT ON COLUMN strandline_analytics.coverage.cut IS 'The answer was cut at its limit before it reached back far enough.';
COMMENT ON COLUMN strandline_analytics.coverage.every_seconds IS 'Time between two slots, in seconds, as it was then.';
COMMENT ON COLUMN strandline_analytics.coverage.posts IS 'Posts in its answer.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.volume_hourly AS
  select v.search_id, s.slug as search, date_bin('1 hour', v.bucket_at, 'epoch') as bucket_at, sum(v.posts) as posts,
    sum(bit_count(v.minutes))::float8 / 60 as coverage,
    bool_or(v.cut and bit_count(v.minutes) < 15) as lower_bound
  from strandline.volume v join strandline.searches s on s.id = v.search_id
  group by 1, 2, 3;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.volume_hourly IS 'Posts of a search per hour of their own time. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.volume_hourly.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.volume_hourly.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.volume_hourly.bucket_at IS 'When the hour begins (UTC).';
COMMENT ON COLUMN strandline_analytics.volume_hourly.posts IS 'Posts whose own time lies in it, each once per search, as counted: not scaled up by coverage.';
COMMENT ON COLUMN strandline_analytics.volume_hourly.coverage IS 'Share of it that was observed, 0 to 1. Under 1, posts may be missing.';
COMMENT ON COLUMN strandline_analytics.volume_hourly.lower_bound IS 'An answer that should have reached it was cut at its limit: it may have been more.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.volume_daily AS
  select v.search_id, s.slug as search, date_trunc('day', v.bucket_at, 'UTC') as bucket_at, sum(v.posts) as posts,
    sum(bit_count(v.minutes))::float8 / 1440 as coverage,
    bool_or(v.cut and bit_count(v.minutes) < 15) as lower_bound
  from strandline.volume v join strandline.searches s on s.id = v.search_id
  group by 1, 2, 3;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.volume_daily IS 'Posts of a search per day (UTC) of their own time. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.bucket_at IS 'When the day (UTC) begins (UTC).';
COMMENT ON COLUMN strandline_analytics.volume_daily.posts IS 'Posts whose own time lies in it, each once per search, as counted: not scaled up by coverage.';
COMMENT ON COLUMN strandline_analytics.volume_daily.coverage IS 'Share of it that was observed, 0 to 1. Under 1, posts may be missing.';
COMMENT ON COLUMN strandline_analytics.volume_daily.lower_bound IS 'An answer that should have reached it was cut at its limit: it may have been more.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.spikes AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.measure, k.window_start, k.window_end, k.sentence,
    k.n, k.lower_bound, k.coverage, k.usual, k.n / k.coverage / nullif(k.usual, 0) as ratio, k.mean, k.sd, k.score, k.threshold,
    k.sensitivity, k.days, k.windows, k.provisional, k.tz, k.top_post_id, k.top_share
  from strandline.spikes k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.spikes IS 'Windows with more than usual, each with what it was decided on.';
COMMENT ON COLUMN strandline_analytics.spikes.id IS 'Key of the spike.';
COMMENT ON COLUMN strandline_analytics.spikes.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.spikes.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.spikes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.spikes.run_id IS 'Run that brought it to light.';
COMMENT ON COLUMN strandline_analytics.spikes.measure IS 'posts (how many were written) or engagement (what counters of posts gained).';
COMMENT ON COLUMN strandline_analytics.spikes.window_start IS 'When the window begins (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.window_end IS 'When it ends (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.sentence IS 'The spike in one sentence.';
COMMENT ON COLUMN strandline_analytics.spikes.n IS 'Posts in the window, or likes, reposts, replies and quotes gained in it, as counted.';
COMMENT ON COLUMN strandline_analytics.spikes.lower_bound IS 'It may have been more: an answer was cut at its limit.';
COMMENT ON COLUMN strandline_analytics.spikes.coverage IS 'Share of the window that was observed, 0 to 1.';
COMMENT ON COLUMN strandline_analytics.spikes.usual IS 'Middle of the observed windows within an hour of this time of day, in the unit of n.';
COMMENT ON COLUMN strandline_analytics.spikes.ratio IS 'n, scaled up by coverage, over usual; null where usual is 0.';
COMMENT ON COLUMN strandline_analytics.spikes.mean IS 'Of all observed windows compared with, in the unit of n.';
COMMENT ON COLUMN strandline_analytics.spikes.sd IS 'Their spread (standard deviation, with a floor), in the unit of n.';
COMMENT ON COLUMN strandline_analytics.spikes.score IS '(n, scaled up by coverage, - mean) / sd.';
COMMENT ON COLUMN strandline_analytics.spikes.threshold IS 'What the score had to reach.';
COMMENT ON COLUMN strandline_analytics.spikes.sensitivity IS 'Setting of the search: low, normal or high.';
COMMENT ON COLUMN strandline_analytics.spikes.days IS 'How many days back the comparison goes.';
COMMENT ON COLUMN strandline_analytics.spikes.windows IS 'Number of windows compared with.';
COMMENT ON COLUMN strandline_analytics.spikes.provisional IS 'Less than three days were observed.';
COMMENT ON COLUMN strandline_analytics.spikes.tz IS 'Time zone of the sentence (IANA name).';
COMMENT ON COLUMN strandline_analytics.spikes.top_post_id IS 'For engagement: the post that gained most.';
COMMENT ON COLUMN strandline_analytics.spikes.top_share IS 'Its share of n, 0 to 1.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.discoveries AS
  select d.id, d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic, d.run_id,
    case d.kind when 'post' then d.thing end as post_id,
    case d.kind when 'link' then d.thing end as link_id,
    case d.kind when 'completion' then d.thing end as completion_id,
    coalesce(p.text, l.title, c.summary, k.sentence) as text,
    coalesce(p.url, l.canonical) as url,
    a.username as author_username,
    coalesce(p.created_at, l.published_at, k.window_start) as created_at,
    p.like_count, p.repost_count, p.reply_count, p.view_count,
    case d.kind when 'spike' then d.thing end as spike_id
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on d.kind = 'post' and p.id = d.thing
  left join strandline.authors a on a.id = p.author_id
  left join strandline.links l on d.kind = 'link' and l.id = d.thing
  left join strandline.completions c on d.kind = 'completion' and c.id = d.thing
  left join strandline.spikes k on d.kind = 'spike' and k.id = d.thing;
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.discoveries.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike.';
COMMENT ON COLUMN strandline_analytics.discoveries.created_at IS 'The thing''s own time (UTC); for a spike when its window begins.';
COMMENT ON COLUMN strandline_analytics.discoveries.spike_id IS 'The spike, where it is one.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.new_today AS
  select * from strandline_analytics.discoveries where not baseline and at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.new_today.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike.';
COMMENT ON COLUMN strandline_analytics.new_today.created_at IS 'The thing''s own time (UTC); for a spike when its window begins.';
COMMENT ON COLUMN strandline_analytics.new_today.spike_id IS 'The spike, where it is one.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.searches AS
  select s.id, s.slug, s.topic_id, t.slug as topic, sv.name as service, sv.kind as service_kind, s.operation,
    s.version, v.request_version, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra,
    v.cron, v.every_seconds, v.tz, s.labels, s.state, s.state_reason, s.state_since, s.next_due_at,
    s.created_at, s.archived_at, s.sensitivity
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_versions v on v.search_id = s.id and v.version = s.version;
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.searches.sensitivity IS 'How unusual is worth a spike: low, normal, high or off.';
