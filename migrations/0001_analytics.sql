-- The SQL contract, version 1: plain views that analysts and dashboards read. The reader role sees these and
-- nothing else. Every view and column says what it is and its unit. Changed only by a new migration.
CREATE SCHEMA IF NOT EXISTS strandline_analytics;
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1';
--> statement-breakpoint
CREATE VIEW strandline_analytics.topics AS
  select t.id, t.slug, t.name, t.sample, t.created_at, t.archived_at,
    (select count(*) from strandline.searches s where s.topic_id = t.id and s.archived_at is null) as searches
  from strandline.topics t;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.topics IS 'What is watched. One row per topic, archived ones too.';
COMMENT ON COLUMN strandline_analytics.topics.id IS 'Key of the topic.';
COMMENT ON COLUMN strandline_analytics.topics.slug IS 'Short unique name used by commands.';
COMMENT ON COLUMN strandline_analytics.topics.name IS 'What a person calls it.';
COMMENT ON COLUMN strandline_analytics.topics.sample IS 'Made by the program itself, from simulated posts.';
COMMENT ON COLUMN strandline_analytics.topics.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.topics.archived_at IS 'When it was removed; null while it lives. History stays.';
COMMENT ON COLUMN strandline_analytics.topics.searches IS 'Number of its searches that are not archived.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.searches AS
  select s.id, s.slug, s.topic_id, t.slug as topic, sv.name as service, sv.kind as service_kind, s.operation,
    s.version, v.request_version, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra,
    v.cron, v.every_seconds, v.tz, s.labels, s.state, s.state_reason, s.state_since, s.next_due_at,
    s.created_at, s.archived_at
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_versions v on v.search_id = s.id and v.version = s.version;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.searches IS 'Saved searches with their current version.';
COMMENT ON COLUMN strandline_analytics.searches.id IS 'Key of the search.';
COMMENT ON COLUMN strandline_analytics.searches.slug IS 'Short unique name used by commands.';
COMMENT ON COLUMN strandline_analytics.searches.topic_id IS 'Its topic.';
COMMENT ON COLUMN strandline_analytics.searches.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.searches.service IS 'Name of the service that answers it, for ever the same.';
COMMENT ON COLUMN strandline_analytics.searches.service_kind IS 'sandbox (simulated), own or hosted.';
COMMENT ON COLUMN strandline_analytics.searches.operation IS 'ai (search over all sources) or microblog (posts).';
COMMENT ON COLUMN strandline_analytics.searches.version IS 'Number of the current version; each change makes one.';
COMMENT ON COLUMN strandline_analytics.searches.request_version IS 'Version with which the current request began; a new request has a new baseline.';
COMMENT ON COLUMN strandline_analytics.searches.prompt IS 'What is asked.';
COMMENT ON COLUMN strandline_analytics.searches.tools IS 'Tools of an ai search, in the words of the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.searches.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.searches.date_filter IS 'How far back an ai search looks; null for microblog.';
COMMENT ON COLUMN strandline_analytics.searches.streaming IS 'Whether the answer is streamed.';
COMMENT ON COLUMN strandline_analytics.searches.extra IS 'Members beyond the specification that are passed through.';
COMMENT ON COLUMN strandline_analytics.searches.cron IS 'Cron expression of five fields; null for an interval.';
COMMENT ON COLUMN strandline_analytics.searches.every_seconds IS 'Interval in seconds; null for a cron expression.';
COMMENT ON COLUMN strandline_analytics.searches.tz IS 'Time zone of the cron expression (IANA name).';
COMMENT ON COLUMN strandline_analytics.searches.labels IS 'Labels given by a person.';
COMMENT ON COLUMN strandline_analytics.searches.state IS 'active, paused, broken or capped.';
COMMENT ON COLUMN strandline_analytics.searches.state_reason IS 'Why it is in this state; null while active.';
COMMENT ON COLUMN strandline_analytics.searches.state_since IS 'Since when it is in this state (UTC).';
COMMENT ON COLUMN strandline_analytics.searches.next_due_at IS 'The next slot (UTC); null when none is to come.';
COMMENT ON COLUMN strandline_analytics.searches.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.searches.archived_at IS 'When it was removed; null while it lives.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.runs AS
  select r.id, r.search_id, s.slug as search, t.slug as topic, r.version, r.request_version, r.trigger, r.slot_at, r.span_until, r.span_slots,
    r.status, r.code, r.reason, r.baseline, r.items_seen, r.items_new, r.rejected,
    coalesce(cardinality(rr.post_ids), 0) as posts_seen, coalesce(cardinality(rr.link_ids), 0) as links_seen,
    (select count(*) from strandline.calls c where c.run_id = r.id) as calls,
    (select sum(c.cost_usd) from strandline.calls c where c.run_id = r.id) as cost_usd,
    r.not_before, r.fence, r.worker, r.created_at, r.started_at, r.ended_at,
    extract(epoch from r.ended_at - r.started_at)::float8 as seconds
  from strandline.runs r
  join strandline.searches s on s.id = r.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.run_results rr on rr.run_id = r.id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.runs IS 'One row per due slot of a search, also for those that were not run, and per manual or first run.';
COMMENT ON COLUMN strandline_analytics.runs.id IS 'Key of the run.';
COMMENT ON COLUMN strandline_analytics.runs.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.runs.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.runs.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.runs.version IS 'Version of the search that was run.';
COMMENT ON COLUMN strandline_analytics.runs.request_version IS 'Version with which its request began.';
COMMENT ON COLUMN strandline_analytics.runs.trigger IS 'schedule, manual or first.';
COMMENT ON COLUMN strandline_analytics.runs.slot_at IS 'The time it was due (UTC); null for manual and first runs.';
COMMENT ON COLUMN strandline_analytics.runs.span_until IS 'Last slot of a span of missed slots; null for one slot.';
COMMENT ON COLUMN strandline_analytics.runs.span_slots IS 'Number of slots in the span; null for one slot.';
COMMENT ON COLUMN strandline_analytics.runs.status IS 'queued, running, succeeded, failed, skipped or cancelled.';
COMMENT ON COLUMN strandline_analytics.runs.code IS 'Why it failed, from the closed list of codes; null otherwise.';
COMMENT ON COLUMN strandline_analytics.runs.reason IS 'Why it was skipped or cancelled, or what the service said.';
COMMENT ON COLUMN strandline_analytics.runs.baseline IS 'First succeeded run of its request, or one that was older and was read again later: what it found is shown, nobody is alerted.';
COMMENT ON COLUMN strandline_analytics.runs.items_seen IS 'Posts and links in the answer, read or not; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.items_new IS 'Posts and links that this search saw for the first time; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.rejected IS 'Items that could not be read; see rejects.';
COMMENT ON COLUMN strandline_analytics.runs.posts_seen IS 'Posts that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.links_seen IS 'Links that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.calls IS 'Calls made for it (each is billed).';
COMMENT ON COLUMN strandline_analytics.runs.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.runs.not_before IS 'A queued run waits until then (retry, UTC).';
COMMENT ON COLUMN strandline_analytics.runs.fence IS 'Number of times it was claimed.';
COMMENT ON COLUMN strandline_analytics.runs.worker IS 'Who ran it last.';
COMMENT ON COLUMN strandline_analytics.runs.created_at IS 'When the row was made (UTC).';
COMMENT ON COLUMN strandline_analytics.runs.started_at IS 'When it was first claimed (UTC).';
COMMENT ON COLUMN strandline_analytics.runs.ended_at IS 'When it ended (UTC).';
COMMENT ON COLUMN strandline_analytics.runs.seconds IS 'From first claim to end, in seconds.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.calls AS
  select c.run_id, c.n, r.search_id, s.slug as search, sv.name as service, c.state, c.http_status, c.code, c.bytes, c.latency_ms, c.cost_usd,
    c.fence, c.sent_at, c.received_at
  from strandline.calls c
  join strandline.runs r on r.id = c.run_id
  join strandline.searches s on s.id = r.search_id
  join strandline.services sv on sv.id = c.service_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.calls IS 'The ledger: every call that was made or may have been made; its row is older than the request.';
COMMENT ON COLUMN strandline_analytics.calls.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.calls.n IS 'First, second, ... call of the run.';
COMMENT ON COLUMN strandline_analytics.calls.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.calls.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.calls.service IS 'Who was called.';
COMMENT ON COLUMN strandline_analytics.calls.state IS 'sent, received, failed or unknown (the process ended in between; counts as paid).';
COMMENT ON COLUMN strandline_analytics.calls.http_status IS 'Status of the answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.code IS 'Why it failed; null otherwise.';
COMMENT ON COLUMN strandline_analytics.calls.bytes IS 'Size of the decoded answer in bytes.';
COMMENT ON COLUMN strandline_analytics.calls.latency_ms IS 'From request to last byte, in milliseconds.';
COMMENT ON COLUMN strandline_analytics.calls.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.calls.fence IS 'Claim under which it was made.';
COMMENT ON COLUMN strandline_analytics.calls.sent_at IS 'Committed before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.calls.received_at IS 'When its answer or failure was known (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.rejects AS
  select j.id, j.run_id, r.search_id, s.slug as search, j.path, j.code, j.sample, r.ended_at as at
  from strandline.rejects j join strandline.runs r on r.id = j.run_id join strandline.searches s on s.id = r.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rejects IS 'Items of answers that could not be read; the rest of the answer was kept.';
COMMENT ON COLUMN strandline_analytics.rejects.id IS 'Key of the reject.';
COMMENT ON COLUMN strandline_analytics.rejects.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.rejects.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.rejects.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.rejects.path IS 'Where it stood in the answer, in the names of the wire.';
COMMENT ON COLUMN strandline_analytics.rejects.code IS 'Why it could not be read.';
COMMENT ON COLUMN strandline_analytics.rejects.sample IS 'How it began, at most 500 characters.';
COMMENT ON COLUMN strandline_analytics.rejects.at IS 'When its run ended (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.posts AS
  select p.id, p.external_id, sv.name as service, p.author_id, a.username as author_username, a.name as author_name,
    p.text, p.url, p.created_at, p.lang,
    p.reply_count, p.repost_count, p.like_count, p.view_count, p.quote_count, p.impression_count, p.bookmark_count,
    p.conversation_id, p.in_reply_to_screen_name, p.in_reply_to_status_id, p.in_reply_to_user_id,
    p.quoted_status_id, p.reposted_status_id, p.quote, p.is_quote_post, p.is_repost, p.summary_description,
    p.hashtags, p.mentions, p.urls, p.media, p.entities, p.first_seen_at, p.observed_at
  from strandline.posts p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.posts IS 'Posts as last seen, nested ones (quoted, reposted) too.';
COMMENT ON COLUMN strandline_analytics.posts.id IS 'Key of the post.';
COMMENT ON COLUMN strandline_analytics.posts.external_id IS 'Id given by the service: text, up to 19 digits and more.';
COMMENT ON COLUMN strandline_analytics.posts.service IS 'Service that returned it; ids are unique only within one.';
COMMENT ON COLUMN strandline_analytics.posts.author_id IS 'Who wrote it; null when the answer did not say.';
COMMENT ON COLUMN strandline_analytics.posts.author_username IS 'Handle of the author.';
COMMENT ON COLUMN strandline_analytics.posts.author_name IS 'Display name of the author.';
COMMENT ON COLUMN strandline_analytics.posts.text IS 'Text as last seen.';
COMMENT ON COLUMN strandline_analytics.posts.url IS 'Address of the post.';
COMMENT ON COLUMN strandline_analytics.posts.created_at IS 'The post''s own time (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.lang IS 'Language code as given; also und, qme, zxx and others.';
COMMENT ON COLUMN strandline_analytics.posts.reply_count IS 'Replies when last observed; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.posts.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.impression_count IS 'Impressions when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.bookmark_count IS 'Bookmarks when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.conversation_id IS 'Id of the post that began the conversation.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_screen_name IS 'Handle that it replies to; null when it is no reply.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_status_id IS 'Post (external id) that it replies to; null when it is no reply.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_user_id IS 'Author (external id) that it replies to; null when it is no reply.';
COMMENT ON COLUMN strandline_analytics.posts.quoted_status_id IS 'Post (external id) that it quotes; null when it quotes none.';
COMMENT ON COLUMN strandline_analytics.posts.reposted_status_id IS 'Post (external id) that it reposts; null when it reposts none.';
COMMENT ON COLUMN strandline_analytics.posts.quote IS 'Quoted text where the service gave only text.';
COMMENT ON COLUMN strandline_analytics.posts.is_quote_post IS 'Whether it quotes a post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.is_repost IS 'Whether it reposts a post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.summary_description IS 'Summary of the post by the service.';
COMMENT ON COLUMN strandline_analytics.posts.hashtags IS 'Hashtags in the text, without #, lower case.';
COMMENT ON COLUMN strandline_analytics.posts.mentions IS 'Handles mentioned in the text.';
COMMENT ON COLUMN strandline_analytics.posts.urls IS 'Addresses in the text, expanded.';
COMMENT ON COLUMN strandline_analytics.posts.media IS 'Media as given.';
COMMENT ON COLUMN strandline_analytics.posts.entities IS 'Entities as given.';
COMMENT ON COLUMN strandline_analytics.posts.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.posts.observed_at IS 'When its values were last observed to differ (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.post_engagement AS
  select post_id, observed_at, reply_count, repost_count, like_count, view_count, quote_count, impression_count, bookmark_count
  from strandline.post_snapshots;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.post_engagement IS 'Counters of posts over time: one row whenever one of them changed.';
COMMENT ON COLUMN strandline_analytics.post_engagement.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_engagement.observed_at IS 'When it was observed (UTC).';
COMMENT ON COLUMN strandline_analytics.post_engagement.reply_count IS 'Replies at that time; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_engagement.repost_count IS 'Reposts at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.like_count IS 'Likes at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.view_count IS 'Views at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.quote_count IS 'Quotes at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.impression_count IS 'Impressions at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.bookmark_count IS 'Bookmarks at that time; null when unknown.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.post_sightings AS
  select g.search_id, s.slug as search, g.post_id, g.first_run_id, g.first_seen_at, g.post_created_at
  from strandline.post_sightings g join strandline.searches s on s.id = g.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.post_sightings IS 'The first time each search saw each post: what is new, once for ever.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_seen_at IS 'When it was first seen by this search (UTC).';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_created_at IS 'The post''s own time (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.authors AS
  select a.id, a.external_id, sv.name as service, a.username, a.name, a.url, a.description, a.location, a.profile_image_url,
    a.created_at, a.verified, a.is_blue_verified, a.can_dm, a.can_media_tag,
    a.followers_count, a.favourites_count, a.listed_count, a.media_count, a.statuses_count, a.first_seen_at, a.observed_at
  from strandline.authors a join strandline.services sv on sv.id = a.service_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.authors IS 'Authors as last seen.';
COMMENT ON COLUMN strandline_analytics.authors.id IS 'Key of the author.';
COMMENT ON COLUMN strandline_analytics.authors.external_id IS 'Id given by the service.';
COMMENT ON COLUMN strandline_analytics.authors.service IS 'Service that returned it.';
COMMENT ON COLUMN strandline_analytics.authors.username IS 'Handle.';
COMMENT ON COLUMN strandline_analytics.authors.name IS 'Display name.';
COMMENT ON COLUMN strandline_analytics.authors.url IS 'Address of the profile.';
COMMENT ON COLUMN strandline_analytics.authors.description IS 'Profile text.';
COMMENT ON COLUMN strandline_analytics.authors.location IS 'Place as the author writes it.';
COMMENT ON COLUMN strandline_analytics.authors.profile_image_url IS 'Address of the picture; never fetched.';
COMMENT ON COLUMN strandline_analytics.authors.created_at IS 'When the account was made (UTC).';
COMMENT ON COLUMN strandline_analytics.authors.verified IS 'Verified; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.is_blue_verified IS 'Verified by subscription; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.can_dm IS 'Takes direct messages; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.can_media_tag IS 'May be tagged in media; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.followers_count IS 'Followers when last observed; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.authors.favourites_count IS 'Posts liked when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.listed_count IS 'Lists when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.media_count IS 'Media posted when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.statuses_count IS 'Posts written when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.first_seen_at IS 'When first returned (UTC).';
COMMENT ON COLUMN strandline_analytics.authors.observed_at IS 'When the values were last observed to differ (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.links AS
  select id, canonical as url, site, title, snippet, summary_description, with_metadata, published_at, first_seen_at, observed_at from strandline.links;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.links IS 'Links by their canonical address, with what was last said of them.';
COMMENT ON COLUMN strandline_analytics.links.id IS 'Key of the link.';
COMMENT ON COLUMN strandline_analytics.links.url IS 'Canonical address.';
COMMENT ON COLUMN strandline_analytics.links.site IS 'Host without www.';
COMMENT ON COLUMN strandline_analytics.links.title IS 'Title as last seen.';
COMMENT ON COLUMN strandline_analytics.links.snippet IS 'Excerpt as last seen.';
COMMENT ON COLUMN strandline_analytics.links.summary_description IS 'Summary by the service.';
COMMENT ON COLUMN strandline_analytics.links.with_metadata IS 'Given on preprint and encyclopedia results; null elsewhere.';
COMMENT ON COLUMN strandline_analytics.links.published_at IS 'When it was published, where the answer says so (UTC).';
COMMENT ON COLUMN strandline_analytics.links.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.links.observed_at IS 'When its values were last observed to differ (UTC).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.link_sightings AS
  select g.search_id, s.slug as search, g.link_id, g.first_run_id, g.first_seen_at, g.source
  from strandline.link_sightings g join strandline.searches s on s.id = g.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.link_sightings IS 'The first time each search saw each link.';
COMMENT ON COLUMN strandline_analytics.link_sightings.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.link_sightings.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_sightings.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_sightings.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.link_sightings.first_seen_at IS 'When it was first seen by this search (UTC).';
COMMENT ON COLUMN strandline_analytics.link_sightings.source IS 'Group of the answer in which it stood then: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.completions AS
  select c.id, c.run_id, c.search_id, s.slug as search, c.observed_at, c.changed, c.summary, c.microblog_summary,
    c.discussion_board_summary, c.news_forum_summary, c.text_chunks, c.completion_links, c.search_completion_links, c.miner_link_scores, c.warnings
  from strandline.completions c join strandline.searches s on s.id = c.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.completions IS 'AI-written completions, one per run of an ai search.';
COMMENT ON COLUMN strandline_analytics.completions.id IS 'Key of the completion.';
COMMENT ON COLUMN strandline_analytics.completions.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.completions.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.completions.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.completions.observed_at IS 'When it was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completions.changed IS 'Its set of cited links differs from the completion before.';
COMMENT ON COLUMN strandline_analytics.completions.summary IS 'Summary over all sources.';
COMMENT ON COLUMN strandline_analytics.completions.microblog_summary IS 'Summary of microblog posts.';
COMMENT ON COLUMN strandline_analytics.completions.discussion_board_summary IS 'Summary of discussion boards.';
COMMENT ON COLUMN strandline_analytics.completions.news_forum_summary IS 'Summary of news forums.';
COMMENT ON COLUMN strandline_analytics.completions.text_chunks IS 'Pieces of the microblog summary as given.';
COMMENT ON COLUMN strandline_analytics.completions.completion_links IS 'Ids of the links that it cites, in order.';
COMMENT ON COLUMN strandline_analytics.completions.search_completion_links IS 'Ids of all links returned for it, in order.';
COMMENT ON COLUMN strandline_analytics.completions.miner_link_scores IS 'Relevance by post id or address, where given.';
COMMENT ON COLUMN strandline_analytics.completions.warnings IS 'Warnings of the service, where given.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.key_items AS
  select k.completion_id, c.run_id, c.search_id, k.list, k.position, k.text, k.url, k.link_id
  from strandline.key_items k join strandline.completions c on c.id = k.completion_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.key_items IS 'Key items of completions: short texts with a link.';
COMMENT ON COLUMN strandline_analytics.key_items.completion_id IS 'Its completion.';
COMMENT ON COLUMN strandline_analytics.key_items.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.key_items.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.key_items.list IS 'key_posts, key_microblog_posts, key_news or key_sources.';
COMMENT ON COLUMN strandline_analytics.key_items.position IS 'Place in its list, from 0.';
COMMENT ON COLUMN strandline_analytics.key_items.text IS 'The text.';
COMMENT ON COLUMN strandline_analytics.key_items.url IS 'Address as given; null when none was.';
COMMENT ON COLUMN strandline_analytics.key_items.link_id IS 'The link it was resolved to; null when its address could not be read.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.discoveries AS
  select d.id, d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic, d.run_id,
    case d.kind when 'post' then d.thing end as post_id,
    case d.kind when 'link' then d.thing end as link_id,
    case d.kind when 'completion' then d.thing end as completion_id,
    coalesce(p.text, l.title, c.summary) as text,
    coalesce(p.url, l.canonical) as url,
    a.username as author_username,
    coalesce(p.created_at, l.published_at) as created_at,
    p.like_count, p.repost_count, p.reply_count, p.view_count
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on d.kind = 'post' and p.id = d.thing
  left join strandline.authors a on a.id = p.author_id
  left join strandline.links l on d.kind = 'link' and l.id = d.thing
  left join strandline.completions c on d.kind = 'completion' and c.id = d.thing;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.discoveries IS 'The diff: everything that a run saw for the first time, in the order it was committed.';
COMMENT ON COLUMN strandline_analytics.discoveries.id IS 'Order of the feed: a reader that remembers the last one it saw misses none.';
COMMENT ON COLUMN strandline_analytics.discoveries.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.discoveries.kind IS 'post, link, completion or spike.';
COMMENT ON COLUMN strandline_analytics.discoveries.baseline IS 'Found by the first look of a request.';
COMMENT ON COLUMN strandline_analytics.discoveries.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.discoveries.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.discoveries.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.discoveries.run_id IS 'Run that found it.';
COMMENT ON COLUMN strandline_analytics.discoveries.post_id IS 'The post, where it is one.';
COMMENT ON COLUMN strandline_analytics.discoveries.link_id IS 'The link, where it is one.';
COMMENT ON COLUMN strandline_analytics.discoveries.completion_id IS 'The completion, where it is one.';
COMMENT ON COLUMN strandline_analytics.discoveries.text IS 'Text of the post, title of the link or summary of the completion.';
COMMENT ON COLUMN strandline_analytics.discoveries.url IS 'Its address.';
COMMENT ON COLUMN strandline_analytics.discoveries.author_username IS 'Who wrote the post.';
COMMENT ON COLUMN strandline_analytics.discoveries.created_at IS 'The thing''s own time (UTC).';
COMMENT ON COLUMN strandline_analytics.discoveries.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.view_count IS 'Views when last observed; null when unknown.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.new_today AS
  select * from strandline_analytics.discoveries where not baseline and at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.new_today IS 'Discoveries since midnight UTC, without those of first looks.';
COMMENT ON COLUMN strandline_analytics.new_today.id IS 'Order of the feed: a reader that remembers the last one it saw misses none.';
COMMENT ON COLUMN strandline_analytics.new_today.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.new_today.kind IS 'post, link, completion or spike.';
COMMENT ON COLUMN strandline_analytics.new_today.baseline IS 'Found by the first look of a request.';
COMMENT ON COLUMN strandline_analytics.new_today.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.new_today.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.new_today.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.new_today.run_id IS 'Run that found it.';
COMMENT ON COLUMN strandline_analytics.new_today.post_id IS 'The post, where it is one.';
COMMENT ON COLUMN strandline_analytics.new_today.link_id IS 'The link, where it is one.';
COMMENT ON COLUMN strandline_analytics.new_today.completion_id IS 'The completion, where it is one.';
COMMENT ON COLUMN strandline_analytics.new_today.text IS 'Text of the post, title of the link or summary of the completion.';
COMMENT ON COLUMN strandline_analytics.new_today.url IS 'Its address.';
COMMENT ON COLUMN strandline_analytics.new_today.author_username IS 'Who wrote the post.';
COMMENT ON COLUMN strandline_analytics.new_today.created_at IS 'The thing''s own time (UTC).';
COMMENT ON COLUMN strandline_analytics.new_today.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.view_count IS 'Views when last observed; null when unknown.';
