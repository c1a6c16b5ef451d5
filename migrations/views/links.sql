CREATE OR REPLACE VIEW strandline_analytics.links AS
  select id, canonical as url, site, title, snippet, summary_description, with_metadata, published_at, first_seen_at, observed_at from strandline.links;

COMMENT ON VIEW strandline_analytics.links IS 'Links by their canonical address, with what was last said of them.';
COMMENT ON COLUMN strandline_analytics.links.id IS 'Key of the link.';
COMMENT ON COLUMN strandline_analytics.links.url IS 'Canonical address.';
COMMENT ON COLUMN strandline_analytics.links.site IS 'Host without www.';
COMMENT ON COLUMN strandline_analytics.links.title IS 'Title as last seen; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.snippet IS 'Excerpt as last seen; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.summary_description IS 'Summary by the service; null when never given.';
COMMENT ON COLUMN strandline_analytics.links.with_metadata IS 'Given on preprint and encyclopedia results; null elsewhere.';
COMMENT ON COLUMN strandline_analytics.links.published_at IS 'When it was published (UTC); null where no answer said so.';
COMMENT ON COLUMN strandline_analytics.links.first_seen_at IS 'When any search first returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.links.observed_at IS 'When its values were last observed to differ (UTC).';
