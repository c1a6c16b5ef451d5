DROP INDEX "strandline"."discoveries_search";--> statement-breakpoint
CREATE INDEX "discoveries_search" ON "strandline"."discoveries" USING btree ("search_id","at","kind","baseline");--> statement-breakpoint
CREATE VIEW strandline_analytics.discovery_times AS
  select d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.discovery_times IS 'When each search found something for the first time: the narrow way to count discoveries. What it was stands in discoveries.';
COMMENT ON COLUMN strandline_analytics.discovery_times.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.discovery_times.kind IS 'post, link, completion or spike.';
COMMENT ON COLUMN strandline_analytics.discovery_times.baseline IS 'Found by the first look of a request.';
COMMENT ON COLUMN strandline_analytics.discovery_times.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.discovery_times.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.discovery_times.topic IS 'Slug of the topic.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.top_authors AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name::bigint as author_id, a.username as author_username, a.name as author_name, a.followers_count, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'author'
  left join strandline.authors a on a.id = x.name::bigint;
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.8';