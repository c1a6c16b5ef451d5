-- A narrow way to the posts of a search that gained most.
CREATE OR REPLACE VIEW strandline_analytics.search_post_gains AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, o.post_id, o.first_seen_at, g.changed_at,
    g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count, g.gained_view_count, strandline_analytics.engagement(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.post_sightings o on o.search_id = s.id
  join strandline.post_gains g on g.post_id = o.post_id;

COMMENT ON VIEW strandline_analytics.search_post_gains IS 'What posts gained, per search that found them: the narrow way to rank the posts of a search. Only posts of which a counter was seen to differ; the rest stands in post_growth.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.changed_at IS 'When a counter was last seen to differ (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_like_count IS 'Likes gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_repost_count IS 'Reposts gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_reply_count IS 'Replies gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_quote_count IS 'Quotes gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_view_count IS 'Views gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_engagement IS 'Likes, reposts, replies and quotes gained, together, as far as they are known; null where none is known twice.';
