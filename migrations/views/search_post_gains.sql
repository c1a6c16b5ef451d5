CREATE OR REPLACE VIEW strandline_analytics.search_post_gains AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, o.post_id, o.first_seen_at, g.observed_at as changed_at,
    g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count, g.gained_view_count, strandline_analytics.engagement(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.post_sightings o on o.search_id = s.id
  join strandline.post_counters g on g.post_id = o.post_id and g.changed_before_at is not null;

COMMENT ON VIEW strandline_analytics.search_post_gains IS 'Gains of posts, per search that found them: a narrow view for ranking the posts of a search. Contains only posts with a changed counter; post_growth has all.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.changed_at IS 'When a counter was last observed to change (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_like_count IS 'Likes gained since first known, increases only; null when observed fewer than two times.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_repost_count IS 'Reposts gained since first known, increases only; null when observed fewer than two times.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_reply_count IS 'Replies gained since first known, increases only; null when observed fewer than two times.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_quote_count IS 'Quotes gained since first known, increases only; null when observed fewer than two times.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_view_count IS 'Views gained since first known, increases only; null when observed fewer than two times.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_engagement IS 'Likes, reposts, replies and quotes gained, combined, as far as known; null when none was observed twice.';
