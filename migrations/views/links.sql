CREATE OR REPLACE VIEW strandline_analytics.links AS
  select id, canonical as url, site, title, snippet, summary_description, with_metadata, published_at, first_seen_at, observed_at from strandline.links;

COMMENT ON VIEW strandline_analytics.links IS 'Links by canonical URL, with the latest known values.';
COMMENT ON COLUMN strandline_analytics.links.id IS 'Key of the link.';
COMMENT ON COLUMN strandline_analytics.links.url IS 'Canonical URL.';
COMMENT ON COLUMN strandline_analytics.links.site IS 'Host without www.';
COMMENT ON COLUMN strandline_analytics.links.title IS 'Latest title; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.snippet IS 'Latest excerpt; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.summary_description IS 'Summary written by the service; null when never returned.';
COMMENT ON COLUMN strandline_analytics.links.with_metadata IS 'Flag of the service, returned for preprints and encyclopedia results; null for others.';
COMMENT ON COLUMN strandline_analytics.links.published_at IS 'When it was published (UTC); null when no response said so.';
COMMENT ON COLUMN strandline_analytics.links.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.links.observed_at IS 'When a value was last observed to change (UTC).';
