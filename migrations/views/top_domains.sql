CREATE OR REPLACE VIEW strandline_analytics.top_domains AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as domain, x.posts, x.topic_posts, x.links, x.topic_links
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select x.day_at, x.name, coalesce(sum(x.posts) filter (where x.kind = 'domain'), 0) as posts,
      coalesce(sum(x.topic_posts) filter (where x.kind = 'domain'), 0) as topic_posts,
      coalesce(sum(x.posts) filter (where x.kind = 'site'), 0) as links,
      coalesce(sum(x.topic_posts) filter (where x.kind = 'site'), 0) as topic_links
    from strandline.search_tops x where x.search_id = s.id and x.kind in ('domain', 'site') group by 1, 2
  ) x;

COMMENT ON VIEW strandline_analytics.top_domains IS 'Domains of a search: those its new posts link to, and those of its new links, per day. Rows can be summed across days. Across the searches of a topic, sum only topic_posts and topic_links, which count each item once.';
COMMENT ON COLUMN strandline_analytics.top_domains.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_domains.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.top_domains.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_domains.bucket_at IS 'Start of the day (UTC): of publication for posts, of the first sighting by the search for links.';
COMMENT ON COLUMN strandline_analytics.top_domains.domain IS 'Host without www, lower case.';
COMMENT ON COLUMN strandline_analytics.top_domains.posts IS 'New posts of that day that link to the domain.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_posts IS 'Number of those posts that no other search of the topic had seen before.';
COMMENT ON COLUMN strandline_analytics.top_domains.links IS 'Links of the domain that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_links IS 'Number of those links that no other search of the topic had seen before.';
