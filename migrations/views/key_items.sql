CREATE OR REPLACE VIEW strandline_analytics.key_items AS
  select k.completion_id, c.run_id, c.search_id, k.list, k.position, k.text, k.url, k.link_id
  from strandline.key_items k
  join strandline.completions c on c.id = k.completion_id;

COMMENT ON VIEW strandline_analytics.key_items IS 'Key items of completions: short texts with a link.';
COMMENT ON COLUMN strandline_analytics.key_items.completion_id IS 'The completion.';
COMMENT ON COLUMN strandline_analytics.key_items.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.key_items.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.key_items.list IS 'key_posts, key_microblog_posts, key_news or key_sources.';
COMMENT ON COLUMN strandline_analytics.key_items.position IS 'Position in the list, from 0.';
COMMENT ON COLUMN strandline_analytics.key_items.text IS 'The text.';
COMMENT ON COLUMN strandline_analytics.key_items.url IS 'URL as returned; null when there was none.';
COMMENT ON COLUMN strandline_analytics.key_items.link_id IS 'The link it resolves to; null when the URL could not be parsed.';
