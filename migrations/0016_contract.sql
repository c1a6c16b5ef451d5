-- The SQL contract says which it is: its version can be read in SQL, and so can what each column means. Comments say
-- what null means wherever a value can be, and name the unit of every number and time.
CREATE VIEW strandline_analytics.contract AS
  select v.major || '.' || v.minor as version, v.major, v.minor
  from (
    select split_part(d.version, '.', 1)::integer as major, split_part(d.version, '.', 2)::integer as minor
    from (select substring(obj_description('strandline_analytics'::regnamespace, 'pg_namespace') from '\d+\.\d+$') as version) d
  ) v;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.contract IS 'Version of this contract. One row.';
COMMENT ON COLUMN strandline_analytics.contract.version IS 'major.minor, as in 1.1; compare the two numbers and not the text.';
COMMENT ON COLUMN strandline_analytics.contract.major IS 'Number that rises when a column goes, or changes its name, place, type or meaning: queries must be looked through.';
COMMENT ON COLUMN strandline_analytics.contract.minor IS 'Number that rises when views or columns come, or say more precisely what they are: queries go on as they did.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.contract_columns AS
  select c.relname::text as view, a.attnum::integer as position, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
    col_description(c.oid, a.attnum) as meaning, obj_description(c.oid, 'pg_class') as view_meaning
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'strandline_analytics'::regnamespace and c.relkind = 'v';
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.contract_columns IS 'Every column of every view of this contract, and what it means.';
COMMENT ON COLUMN strandline_analytics.contract_columns.view IS 'Name of the view.';
COMMENT ON COLUMN strandline_analytics.contract_columns.position IS 'Place number of the column in the view, from 1.';
COMMENT ON COLUMN strandline_analytics.contract_columns.name IS 'Name of the column.';
COMMENT ON COLUMN strandline_analytics.contract_columns.type IS 'Its type, in the words of Postgres.';
COMMENT ON COLUMN strandline_analytics.contract_columns.meaning IS 'What it holds, its unit, and what null means where it can be.';
COMMENT ON COLUMN strandline_analytics.contract_columns.view_meaning IS 'What a row of the view is.';
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.authors.username IS 'Handle; null when the answer did not say.';
COMMENT ON COLUMN strandline_analytics.authors.name IS 'Display name; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.url IS 'Address of the profile; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.description IS 'Profile text; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.location IS 'Place as the author writes it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.profile_image_url IS 'Address of the picture, never fetched; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.created_at IS 'When the account was made (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.listed_count IS 'Number of lists that the author stands on, when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.media_count IS 'Number of media posted when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.calls.n IS 'Number of the call in its run, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.http_status IS 'HTTP status code of the answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.fence IS 'Number of the claim under which it was made, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.bytes IS 'Size of the decoded answer in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.latency_ms IS 'From request to last byte, in milliseconds; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.calls.received_at IS 'When its answer or failure was known (UTC); null while nothing is, and where the process ended before it was.';
COMMENT ON COLUMN strandline_analytics.completion_claims.position IS 'Place number in the completion, over all its texts, from 0.';
COMMENT ON COLUMN strandline_analytics.completions.summary IS 'Summary over all sources; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.microblog_summary IS 'Summary of microblog posts; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.discussion_board_summary IS 'Summary of discussion boards; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.news_forum_summary IS 'Summary of news forums; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.text_chunks IS 'Pieces of the microblog summary as given; null where none were.';
COMMENT ON COLUMN strandline_analytics.completions.miner_link_scores IS 'Relevance by post id or address, as given; null where none was.';
COMMENT ON COLUMN strandline_analytics.completions.claims IS 'Number of claims that it makes, see completion_claims; null where it was kept before claims were read (runs replay reads them).';
COMMENT ON COLUMN strandline_analytics.discoveries.post_id IS 'The post, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.post_id IS 'The post, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.discoveries.link_id IS 'The link, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.link_id IS 'The link, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.discoveries.completion_id IS 'The completion, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.completion_id IS 'The completion, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.discoveries.spike_id IS 'The spike, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.spike_id IS 'The spike, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.discoveries.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike; null where a link has no title or a completion no summary.';
COMMENT ON COLUMN strandline_analytics.new_today.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike; null where a link has no title or a completion no summary.';
COMMENT ON COLUMN strandline_analytics.discoveries.url IS 'Address of the post or link; null for a completion or spike, and where a post was given none.';
COMMENT ON COLUMN strandline_analytics.new_today.url IS 'Address of the post or link; null for a completion or spike, and where a post was given none.';
COMMENT ON COLUMN strandline_analytics.discoveries.author_username IS 'Handle of who wrote the post; null when unknown, and for what is no post.';
COMMENT ON COLUMN strandline_analytics.new_today.author_username IS 'Handle of who wrote the post; null when unknown, and for what is no post.';
COMMENT ON COLUMN strandline_analytics.discoveries.created_at IS 'The thing''s own time (UTC), for a spike when its window begins; null when unknown, and for a completion.';
COMMENT ON COLUMN strandline_analytics.new_today.created_at IS 'The thing''s own time (UTC), for a spike when its window begins; null when unknown, and for a completion.';
COMMENT ON COLUMN strandline_analytics.key_items.position IS 'Place number in its list, from 0.';
COMMENT ON COLUMN strandline_analytics.link_ranks.rank IS 'Place number in its group, from 1.';
COMMENT ON COLUMN strandline_analytics.link_ranks.place IS 'Place number among all links of the answer, from 1; groups stand in the order of the answer.';
COMMENT ON COLUMN strandline_analytics.link_sources.baseline IS 'The first look of a request found it: it may have been there for long. Null where the run that found it is no longer kept.';
COMMENT ON COLUMN strandline_analytics.link_sources.nth IS 'Place number of the search among those that had it: 1 for the first, 2 for the next, ...';
COMMENT ON COLUMN strandline_analytics.links.title IS 'Title as last seen; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.snippet IS 'Excerpt as last seen; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.summary_description IS 'Summary by the service; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.published_at IS 'When it was published (UTC); null where no answer said so.';
COMMENT ON COLUMN strandline_analytics.post_at_age.created_at IS 'The post''s own time (UTC); null when it was known once and the service has taken it back.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.url IS 'Address of the post; null when never given.';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_by IS 'Slug of the search of that answer; null for a post that only stood inside others.';
COMMENT ON COLUMN strandline_analytics.post_growth.not_seen_since IS 'last_seen_at (UTC) where every search that had it has got a newer answer without it: nothing is known of it since. Null while it is in sight.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_reply_count IS 'Sum of the steps down in replies, as a positive number; null where it was observed once or is unknown. reply_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_repost_count IS 'Sum of the steps down in reposts, as a positive number; null where it was observed once or is unknown. repost_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_like_count IS 'Sum of the steps down in likes, as a positive number; null where it was observed once or is unknown. like_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_view_count IS 'Sum of the steps down in views, as a positive number; null where it was observed once or is unknown. view_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_quote_count IS 'Sum of the steps down in quotes, as a positive number; null where it was observed once or is unknown. quote_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_impression_count IS 'Sum of the steps down in impressions, as a positive number; null where it was observed once or is unknown. impression_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_bookmark_count IS 'Sum of the steps down in bookmarks, as a positive number; null where it was observed once or is unknown. bookmark_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement_per_hour IS 'Engagement gained over the last observed interval, per hour: from the observation before the last change until it was last seen. 0 where it only fell; null where it was observed once.';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_created_at IS 'The post''s own time (UTC), as it was when first seen; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.author_name IS 'Display name of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.url IS 'Address of the post; null when never given.';
COMMENT ON COLUMN strandline_analytics.posts.lang IS 'Language code as given, also und, qme, zxx and others; null when never given.';
COMMENT ON COLUMN strandline_analytics.posts.conversation_id IS 'Id of the post that began the conversation; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.quote IS 'Quoted text where the service gave only text; otherwise null.';
COMMENT ON COLUMN strandline_analytics.posts.summary_description IS 'Summary of the post by the service; null when never given.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.url IS 'Address of the post; null when never given.';
COMMENT ON COLUMN strandline_analytics.rising_posts.age_hours IS 'Age of the post then, in hours; null where its own time is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.gained_engagement IS 'Likes, reposts, replies and quotes gained in the 6 hours before as_of, as far as they were observed.';
COMMENT ON COLUMN strandline_analytics.runs.version IS 'Version number of the search that was run.';
COMMENT ON COLUMN strandline_analytics.runs.request_version IS 'Version number with which its request began.';
COMMENT ON COLUMN strandline_analytics.runs.span_until IS 'Last slot of a span of missed slots (UTC); null for one slot.';
COMMENT ON COLUMN strandline_analytics.runs.reason IS 'Why it was skipped or cancelled, or what the service said; null where nothing is to be said.';
COMMENT ON COLUMN strandline_analytics.runs.rejected IS 'Number of items that could not be read, see rejects; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.links_seen IS 'Number of links that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.posts_seen IS 'Number of posts that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.calls IS 'Number of calls made for it (each is billed).';
COMMENT ON COLUMN strandline_analytics.runs.not_before IS 'A queued run waits until then (retry, UTC); null where it need not wait.';
COMMENT ON COLUMN strandline_analytics.runs.worker IS 'Who ran it last; null while nobody has.';
COMMENT ON COLUMN strandline_analytics.runs.started_at IS 'When it was first claimed (UTC); null while nobody has.';
COMMENT ON COLUMN strandline_analytics.runs.ended_at IS 'When it ended (UTC); null while it has not.';
COMMENT ON COLUMN strandline_analytics.runs.seconds IS 'From first claim to end, in seconds; null while it has not ended, and where it was never claimed.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.looks IS 'Number of answers of the search in this day. 0: what was gained was seen by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.looks IS 'Number of answers of the search in this hour. 0: what was gained was seen by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.changes IS 'Number of changes of posts that were observed.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.changes IS 'Number of changes of posts that were observed.';
COMMENT ON COLUMN strandline_analytics.searches.request_version IS 'Version number with which the current request began; a new request has a new baseline.';
COMMENT ON COLUMN strandline_analytics.searches.archived_at IS 'When it was removed (UTC); null while it lives.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.searches IS 'Number of searches of the topic that were at work by then: answered for the day or an earlier one, and were not removed before it.';
COMMENT ON COLUMN strandline_analytics.spikes.usual IS 'Middle of the observed windows within an hour of this time of day, in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.ratio IS 'n, scaled up by coverage, over usual: a number of times; null where usual is 0.';
COMMENT ON COLUMN strandline_analytics.spikes.mean IS 'Mean of all observed windows compared with, in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.sd IS 'Their spread (standard deviation, with a floor), in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.score IS '(n, scaled up by coverage, - mean) / sd: a number of standard deviations.';
COMMENT ON COLUMN strandline_analytics.spikes.threshold IS 'What the score had to reach: a number of standard deviations.';
COMMENT ON COLUMN strandline_analytics.spikes.top_post_id IS 'For engagement, the post that gained most; null for posts.';
COMMENT ON COLUMN strandline_analytics.spikes.top_share IS 'Its share of n, 0 to 1; null for posts.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_name IS 'Display name of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.topics.archived_at IS 'When it was removed (UTC); null while it lives. History stays.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ahead_per_hour IS 'Engagement per hour beyond what is typical, per_hour minus typical_per_hour: the most first is what rises most. Null where typical is unknown.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.reposts IS 'Number of those posts that are known to repeat another post.';
COMMENT ON COLUMN strandline_analytics.top_authors.topic_posts IS 'Number of those posts that no other search of the topic had seen before: each post once per topic.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.topic_posts IS 'Number of those posts that no other search of the topic had seen before: each post once per topic.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic_posts IS 'Number of those posts that no other search of the topic had seen before: each post once per topic.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_posts IS 'Number of those posts that no other search of the topic had seen before.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_links IS 'Number of those links that no other search of the topic had seen before.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.1';
