CREATE OR REPLACE VIEW strandline_analytics.posts AS
  select p.id, p.external_id, sv.name as service, p.author_id, a.username as author_username, a.name as author_name,
    p.text, p.url, p.created_at, p.lang,
    c.reply_count, c.repost_count, c.like_count, c.view_count, c.quote_count, c.impression_count, c.bookmark_count,
    p.conversation_id, p.in_reply_to_screen_name, p.in_reply_to_status_id, p.in_reply_to_user_id,
    p.quoted_status_id, p.reposted_status_id, p.quote, p.is_quote_post, p.is_repost, p.summary_description,
    coalesce(p.hashtags, '{}') as hashtags, coalesce(p.mentions, '{}') as mentions, coalesce(p.urls, '{}') as urls,
    coalesce(p.media, '[]') as media, coalesce(p.entities, '{}') as entities, p.first_seen_at, greatest(p.observed_at, c.observed_at) as observed_at,
    p.display_text_range, :simulated as simulated
  from strandline.posts p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_counters c on c.post_id = p.id;

COMMENT ON VIEW strandline_analytics.posts IS 'Posts, including quoted and reposted ones, with the latest known values.';
COMMENT ON COLUMN strandline_analytics.posts.id IS 'Key of the post.';
COMMENT ON COLUMN strandline_analytics.posts.external_id IS 'ID assigned by the service, as text: it can exceed 19 digits.';
COMMENT ON COLUMN strandline_analytics.posts.service IS 'Service that returned it. IDs are unique only within a service.';
COMMENT ON COLUMN strandline_analytics.posts.author_id IS 'Author of the post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.author_name IS 'Display name of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.text IS 'Text as last observed.';
COMMENT ON COLUMN strandline_analytics.posts.url IS 'URL of the post; null when never returned.';
COMMENT ON COLUMN strandline_analytics.posts.created_at IS 'When the post was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.lang IS 'Language code as returned, including und, qme and zxx; null when never returned.';
COMMENT ON COLUMN strandline_analytics.posts.reply_count IS 'Replies when last observed; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.posts.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.impression_count IS 'Impressions when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.bookmark_count IS 'Bookmarks when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.conversation_id IS 'ID of the first post of the conversation; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_screen_name IS 'Handle of the author it replies to; null when it is not a reply.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_status_id IS 'External ID of the post it replies to; null when it is not a reply.';
COMMENT ON COLUMN strandline_analytics.posts.in_reply_to_user_id IS 'External ID of the author it replies to; null when it is not a reply.';
COMMENT ON COLUMN strandline_analytics.posts.quoted_status_id IS 'External ID of the quoted post; null when it quotes none.';
COMMENT ON COLUMN strandline_analytics.posts.reposted_status_id IS 'External ID of the reposted post; null when it is not a repost.';
COMMENT ON COLUMN strandline_analytics.posts.quote IS 'Quoted text if the service returned only text; otherwise null.';
COMMENT ON COLUMN strandline_analytics.posts.is_quote_post IS 'Whether it quotes another post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.is_repost IS 'Whether it is a repost; null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.summary_description IS 'Summary written by the service; null when never returned.';
COMMENT ON COLUMN strandline_analytics.posts.hashtags IS 'Hashtags in the text, without #, as written; empty when there are none or they are unknown.';
COMMENT ON COLUMN strandline_analytics.posts.mentions IS 'Handles mentioned in the text; empty when there are none or they are unknown.';
COMMENT ON COLUMN strandline_analytics.posts.urls IS 'URLs in the text, expanded; empty when there are none or they are unknown.';
COMMENT ON COLUMN strandline_analytics.posts.media IS 'Media, as returned; empty when there are none or they are unknown.';
COMMENT ON COLUMN strandline_analytics.posts.entities IS 'Entities, as returned, with the variants of videos under media; empty when unknown.';
COMMENT ON COLUMN strandline_analytics.posts.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.posts.observed_at IS 'When a value was last observed to change (UTC).';
COMMENT ON COLUMN strandline_analytics.posts.display_text_range IS 'Start and end of the displayed text, in characters; null when never returned.';
COMMENT ON COLUMN strandline_analytics.posts.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
