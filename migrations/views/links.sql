CREATE OR REPLACE VIEW strandline_analytics.links AS
  select id, url, site, title, snippet, summary_description, with_metadata, published_at, first_seen_at, observed_at,
    case when published_at is not null then coalesce(published_precision, 'exact') end as published_precision, publisher, highlights,
    :simulated as simulated
  from strandline.links;

COMMENT ON VIEW strandline_analytics.links IS 'Links, with the latest known values. Different spellings of an address are one link, on each side.';
COMMENT ON COLUMN strandline_analytics.links.id IS 'Key of the link.';
COMMENT ON COLUMN strandline_analytics.links.url IS 'URL with which it was first seen, as returned; all are in link_addresses.';
COMMENT ON COLUMN strandline_analytics.links.site IS 'Host, without www., m., mobile., old. and amp.';
COMMENT ON COLUMN strandline_analytics.links.title IS 'Latest title; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.snippet IS 'Latest excerpt; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.summary_description IS 'Summary written by the service; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.with_metadata IS 'Flag of the service, returned for preprints and encyclopedia results; null for others.';
COMMENT ON COLUMN strandline_analytics.links.published_at IS 'When it was published (UTC); null when no response said so.';
COMMENT ON COLUMN strandline_analytics.links.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.links.observed_at IS 'When a value was last observed to change (UTC).';
COMMENT ON COLUMN strandline_analytics.links.published_precision IS 'exact when a response gave the time or date; minute, hour, day, week, month or year when it gave an age, such as 17 hours ago: the link may be older by up to that unit. Null when published_at is.';
COMMENT ON COLUMN strandline_analytics.links.publisher IS 'Publication or channel named by the result; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.highlights IS 'Passages that the service highlights; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
