-- A link is shown with an address that was returned; its identity stands beside it. Of several known addresses, the one that its
-- identity was, then one with https, then the shortest.
ALTER TABLE strandline.links ADD COLUMN url text, ADD COLUMN merged_into bigint;
CREATE INDEX links_merged ON strandline.links (merged_into) WHERE merged_into IS NOT NULL;
UPDATE strandline.links l SET url = coalesce((
  SELECT a.address FROM strandline.link_addresses a WHERE a.link_id = l.id
  ORDER BY a.address = l.canonical DESC, starts_with(a.address, 'https:') DESC, length(a.address), a.address LIMIT 1
), l.canonical);
ALTER TABLE strandline.links ALTER COLUMN url SET NOT NULL;

-- Addresses in posts are links.
CREATE TABLE strandline.post_links (
  post_id bigint NOT NULL,
  link_id bigint NOT NULL,
  CONSTRAINT post_links_post_id_link_id_pk PRIMARY KEY (post_id, link_id)
);
CREATE INDEX post_links_link ON strandline.post_links (link_id);
INSERT INTO strandline.post_links (post_id, link_id)
SELECT DISTINCT p.id, a.link_id
FROM strandline.posts p CROSS JOIN unnest(p.urls) u(address) JOIN strandline.link_addresses a ON a.address = u.address
WHERE p.urls <> '{}';

-- Rules by which the stored links were identified (`LinkRules`). Links from before have those of version 1.
INSERT INTO strandline.facts (name, value, at)
SELECT 'link_rules', CASE WHEN EXISTS (SELECT FROM strandline.links) THEN '{"version":1,"own":[]}' ELSE '{"version":2,"own":[]}' END,
  date_trunc('milliseconds', clock_timestamp())
ON CONFLICT (name) DO NOTHING;
