CREATE OR REPLACE VIEW strandline_analytics.link_addresses AS
  select a.link_id, a.address as url from strandline.link_addresses a;

COMMENT ON VIEW strandline_analytics.link_addresses IS 'Every URL of each link, as returned: one row per URL.';
COMMENT ON COLUMN strandline_analytics.link_addresses.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_addresses.url IS 'A URL of it, as returned.';
