CREATE OR REPLACE VIEW strandline_analytics.post_links AS
  select p.post_id, p.link_id, l.url, l.site from strandline.post_links p join strandline.links l on l.id = p.link_id;

COMMENT ON VIEW strandline_analytics.post_links IS 'Links whose URLs are in the text of a post: one row per post and link.';
COMMENT ON COLUMN strandline_analytics.post_links.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_links.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.post_links.url IS 'URL with which the link was first seen, as returned. The URLs in the post are in posts.urls.';
COMMENT ON COLUMN strandline_analytics.post_links.site IS 'Host of the link, without www., m., mobile., old. and amp.';
