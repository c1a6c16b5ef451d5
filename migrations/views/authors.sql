CREATE OR REPLACE VIEW strandline_analytics.authors AS
  select a.id, a.external_id, sv.name as service, a.username, a.name, a.url, a.description, a.location, a.profile_image_url,
    a.created_at, a.verified, a.is_blue_verified, a.can_dm, a.can_media_tag,
    c.followers_count, c.favourites_count, c.listed_count, c.media_count, c.statuses_count, a.first_seen_at, greatest(a.observed_at, c.observed_at) as observed_at,
    c.followings_count, a.profile_banner_url, a.pinned_post_ids, a.professional, a.entities, :simulated as simulated
  from strandline.authors a join strandline.services sv on sv.id = a.service_id
  left join strandline.author_counters c on c.author_id = a.id;

COMMENT ON VIEW strandline_analytics.authors IS 'Authors, with the latest known values.';
COMMENT ON COLUMN strandline_analytics.authors.id IS 'Key of the author.';
COMMENT ON COLUMN strandline_analytics.authors.external_id IS 'ID assigned by the service.';
COMMENT ON COLUMN strandline_analytics.authors.service IS 'Service that returned the item.';
COMMENT ON COLUMN strandline_analytics.authors.username IS 'Handle; null when the response did not include one.';
COMMENT ON COLUMN strandline_analytics.authors.name IS 'Display name; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.url IS 'Profile URL; null when unknown, empty when the author has none.';
COMMENT ON COLUMN strandline_analytics.authors.description IS 'Profile text; null when unknown, empty when the author has none.';
COMMENT ON COLUMN strandline_analytics.authors.location IS 'Location as entered by the author; null when unknown, empty when the author has none.';
COMMENT ON COLUMN strandline_analytics.authors.profile_image_url IS 'URL of the profile picture, never fetched; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.created_at IS 'When the account was created (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.verified IS 'Whether the account is verified; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.is_blue_verified IS 'Whether a paid subscription verifies the account; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.can_dm IS 'Whether the account accepts direct messages; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.can_media_tag IS 'Whether others can tag the account in media; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.followers_count IS 'Followers when last observed; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.authors.favourites_count IS 'Posts liked when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.listed_count IS 'Lists that include the author, when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.media_count IS 'Number of media posted when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.statuses_count IS 'Posts written when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.first_seen_at IS 'When first returned (UTC).';
COMMENT ON COLUMN strandline_analytics.authors.observed_at IS 'When a value was last observed to change (UTC).';
COMMENT ON COLUMN strandline_analytics.authors.followings_count IS 'Number of accounts that the author follows, when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.profile_banner_url IS 'URL of the banner of the profile, never fetched; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.pinned_post_ids IS 'External IDs of the pinned posts; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.professional IS 'Type and categories of a professional account, as returned; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.entities IS 'Links in the profile URL and text, expanded, as returned; null when unknown.';
COMMENT ON COLUMN strandline_analytics.authors.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
