-- Simulated and real data never meet: a topic belongs to one of the two, and so does each link.
--
-- Columns are added without rewriting a large table. Two unique indexes are built, on links and on their addresses: about five
-- seconds per million rows, in which saves wait. What the simulated searches found is read by index; only the completions and their
-- claims are read once each, and only if there is a simulated link. Rows are written for simulated links, and for those that real
-- searches found, too, which become two.
ALTER TABLE strandline.links DROP CONSTRAINT links_canonical_key;
ALTER TABLE strandline.link_addresses DROP CONSTRAINT link_addresses_address_pk;
ALTER TABLE strandline.searches DROP CONSTRAINT searches_topic_id_topics_id_fk;
ALTER TABLE strandline.searches DROP CONSTRAINT searches_service_id_services_id_fk;
ALTER TABLE strandline.services ADD COLUMN simulated boolean GENERATED ALWAYS AS (kind = 'sandbox') STORED NOT NULL;
ALTER TABLE strandline.topics ADD COLUMN simulated boolean DEFAULT false NOT NULL;
ALTER TABLE strandline.searches ADD COLUMN simulated boolean DEFAULT false NOT NULL;
ALTER TABLE strandline.links ADD COLUMN simulated boolean DEFAULT false NOT NULL;
ALTER TABLE strandline.link_addresses ADD COLUMN simulated boolean DEFAULT false NOT NULL;

UPDATE strandline.searches s SET simulated = true FROM strandline.services v WHERE v.id = s.service_id AND v.simulated;
UPDATE strandline.topics t SET simulated = true
WHERE EXISTS (SELECT FROM strandline.searches WHERE topic_id = t.id AND simulated)
  AND NOT EXISTS (SELECT FROM strandline.searches WHERE topic_id = t.id AND NOT simulated);

-- Of topics with searches of both kinds, the simulated ones move to a new topic. Rules of the topic stay with the real ones.
-- Not temporary tables, which the role that migrates may not be allowed to create.
CREATE UNLOGGED TABLE strandline.split_topics (topic_id bigint, simulated_id bigint);
DO $$
DECLARE
  mixed record;
  moved bigint;
BEGIN
  FOR mixed IN
    SELECT * FROM strandline.topics t
    WHERE EXISTS (SELECT FROM strandline.searches WHERE topic_id = t.id AND simulated)
      AND EXISTS (SELECT FROM strandline.searches WHERE topic_id = t.id AND NOT simulated)
    ORDER BY id
  LOOP
    INSERT INTO strandline.topics (slug, name, sample, simulated, created_at, archived_at)
    SELECT free.slug, mixed.name || ' (simulated)', mixed.sample, true, mixed.created_at, mixed.archived_at
    FROM (
      SELECT n, rtrim(left(mixed.slug, 47), '-') || '-simulated' || CASE WHEN n > 1 THEN '-' || n ELSE '' END AS slug
      FROM generate_series(1, 10000) n
    ) free
    WHERE NOT EXISTS (SELECT FROM strandline.topics t WHERE t.slug = free.slug) ORDER BY free.n LIMIT 1
    RETURNING id INTO moved;
    UPDATE strandline.topics SET sample = false WHERE id = mixed.id AND sample;
    UPDATE strandline.searches SET topic_id = moved WHERE topic_id = mixed.id AND simulated;
    INSERT INTO strandline.split_topics VALUES (mixed.id, moved);
  END LOOP;
END $$;

-- The moved searches take the keys of their items along. A real discovery that a simulated one had made a repetition is the first of
-- its item now.
CREATE UNLOGGED TABLE strandline.split_items AS
SELECT k.topic_id AS split, s.topic_id, d.id AS discovery_id, d.first_in_topic,
  coalesce(l.canonical, p.key, 'post:' || p.service_id || ':' || p.external_id) AS key
FROM strandline.split_topics k
JOIN strandline.searches s ON s.topic_id IN (k.topic_id, k.simulated_id)
JOIN strandline.discoveries d ON d.search_id = s.id AND d.kind IN ('post', 'link')
LEFT JOIN strandline.posts p ON d.kind = 'post' AND p.id = d.thing
LEFT JOIN strandline.links l ON d.kind = 'link' AND l.id = d.thing;
INSERT INTO strandline.topic_items (topic_id, key, reported)
SELECT k.simulated_id, i.key, i.reported FROM strandline.split_topics k JOIN strandline.topic_items i ON i.topic_id = k.topic_id
WHERE i.key IN (SELECT key FROM strandline.split_items WHERE topic_id = k.simulated_id);
DELETE FROM strandline.topic_items i USING strandline.split_topics k
WHERE i.topic_id = k.topic_id AND i.key IN (SELECT key FROM strandline.split_items WHERE topic_id = k.simulated_id)
  AND i.key NOT IN (SELECT key FROM strandline.split_items WHERE topic_id = k.topic_id AND key IS NOT NULL);
UPDATE strandline.discoveries SET first_in_topic = true WHERE id IN (
  SELECT min(i.discovery_id) FROM strandline.split_items i GROUP BY i.split, i.topic_id, i.key
  HAVING NOT bool_or(i.first_in_topic)
    AND EXISTS (SELECT FROM strandline.split_items o WHERE o.split = i.split AND o.topic_id <> i.topic_id AND o.key = i.key AND o.first_in_topic)
);

-- Links that simulated searches, completions and posts name.
CREATE UNLOGGED TABLE strandline.simulated_links AS
SELECT g.link_id AS id FROM strandline.searches s JOIN strandline.link_sightings g ON g.search_id = s.id WHERE s.simulated
UNION
SELECT n.link_id FROM strandline.services v JOIN strandline.posts p ON p.service_id = v.id JOIN strandline.post_links n ON n.post_id = p.id
WHERE v.simulated
UNION
SELECT u.id FROM strandline.searches s JOIN strandline.completions c ON c.search_id = s.id
CROSS JOIN unnest(c.completion_links || c.search_completion_links) u(id) WHERE s.simulated
UNION
SELECT i.link_id FROM strandline.searches s JOIN strandline.completions c ON c.search_id = s.id
JOIN strandline.key_items i ON i.completion_id = c.id WHERE s.simulated AND i.link_id IS NOT NULL
UNION
SELECT u.id FROM strandline.searches s JOIN strandline.completions c ON c.search_id = s.id
JOIN strandline.completion_claims m ON m.completion_id = c.id CROSS JOIN unnest(m.link_ids) u(id) WHERE s.simulated;
CREATE UNIQUE INDEX ON strandline.simulated_links (id);
ANALYZE strandline.simulated_links;

-- Those of them that real ones name, too.
CREATE UNLOGGED TABLE strandline.twins AS
SELECT l.id, nextval(pg_get_serial_sequence('strandline.links', 'id')) AS twin_id
FROM strandline.links l
WHERE EXISTS (SELECT FROM strandline.simulated_links) AND l.id IN (
  SELECT w.id FROM strandline.simulated_links w WHERE EXISTS (
    SELECT FROM strandline.link_sightings g JOIN strandline.searches s ON s.id = g.search_id WHERE g.link_id = w.id AND NOT s.simulated
  ) OR EXISTS (
    SELECT FROM strandline.post_links n JOIN strandline.posts p ON p.id = n.post_id JOIN strandline.services v ON v.id = p.service_id
    WHERE n.link_id = w.id AND NOT v.simulated
  ) OR EXISTS (
    SELECT FROM strandline.key_items i JOIN strandline.completions c ON c.id = i.completion_id
    JOIN strandline.searches s ON s.id = c.search_id WHERE i.link_id = w.id AND NOT s.simulated
  )
  UNION
  SELECT u.id FROM strandline.searches s JOIN strandline.completions c ON c.search_id = s.id
  CROSS JOIN unnest(c.completion_links || c.search_completion_links) u(id)
  WHERE NOT s.simulated AND u.id IN (SELECT id FROM strandline.simulated_links)
  UNION
  SELECT u.id FROM strandline.searches s JOIN strandline.completions c ON c.search_id = s.id
  JOIN strandline.completion_claims m ON m.completion_id = c.id CROSS JOIN unnest(m.link_ids) u(id)
  WHERE NOT s.simulated AND u.id IN (SELECT id FROM strandline.simulated_links)
);
CREATE UNIQUE INDEX ON strandline.twins (id);
ANALYZE strandline.twins;

UPDATE strandline.links SET simulated = true WHERE id IN (SELECT id FROM strandline.simulated_links EXCEPT SELECT id FROM strandline.twins);
UPDATE strandline.link_addresses SET simulated = true
WHERE link_id IN (SELECT id FROM strandline.simulated_links EXCEPT SELECT id FROM strandline.twins);

-- Which side a title is from is not known: the twin starts with all that was known of the link. Each is first seen when its own side saw it.
INSERT INTO strandline.links (id, canonical, simulated, url, site, title, snippet, summary_description, with_metadata, published_at,
  published_precision, publisher, highlights, first_seen_at, observed_at, merged_into, known_at) OVERRIDING SYSTEM VALUE
SELECT t.twin_id, l.canonical, true, l.url, l.site, l.title, l.snippet, l.summary_description, l.with_metadata, l.published_at,
  l.published_precision, l.publisher, l.highlights, l.first_seen_at, l.observed_at,
  coalesce((SELECT m.twin_id FROM strandline.twins m WHERE m.id = l.merged_into), l.merged_into), l.known_at
FROM strandline.twins t JOIN strandline.links l ON l.id = t.id ORDER BY t.id;
INSERT INTO strandline.link_addresses (address, link_id, simulated)
SELECT a.address, t.twin_id, true FROM strandline.twins t JOIN strandline.link_addresses a ON a.link_id = t.id;
UPDATE strandline.link_sightings g SET link_id = t.twin_id
FROM strandline.twins t, strandline.searches s WHERE g.link_id = t.id AND s.id = g.search_id AND s.simulated;
UPDATE strandline.links l SET first_seen_at = g.at
FROM (
  SELECT g.link_id, min(g.first_seen_at) AS at FROM strandline.link_sightings g
  WHERE g.link_id IN (SELECT id FROM strandline.twins UNION ALL SELECT twin_id FROM strandline.twins) GROUP BY 1
) g
WHERE l.id = g.link_id AND l.first_seen_at < g.at;

CREATE FUNCTION strandline.name_twins(ids bigint[]) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT ARRAY(SELECT coalesce(t.twin_id, u.id) FROM unnest(ids) WITH ORDINALITY u(id, n) LEFT JOIN strandline.twins t ON t.id = u.id ORDER BY u.n)
$$;
CREATE FUNCTION strandline.has_twins(ids bigint[]) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT FROM unnest(ids) u(id) JOIN strandline.twins t ON t.id = u.id)
$$;
UPDATE strandline.post_links n SET link_id = t.twin_id
FROM strandline.twins t, strandline.posts p, strandline.services v
WHERE n.link_id = t.id AND p.id = n.post_id AND v.id = p.service_id AND v.simulated;
UPDATE strandline.discoveries d SET thing = t.twin_id
FROM strandline.twins t, strandline.searches s WHERE d.kind = 'link' AND d.thing = t.id AND s.id = d.search_id AND s.simulated;
UPDATE strandline.key_items i SET link_id = t.twin_id
FROM strandline.twins t, strandline.completions c, strandline.searches s
WHERE i.link_id = t.id AND c.id = i.completion_id AND s.id = c.search_id AND s.simulated;
UPDATE strandline.completions c SET completion_links = strandline.name_twins(completion_links),
  search_completion_links = strandline.name_twins(search_completion_links)
FROM strandline.searches s WHERE s.id = c.search_id AND s.simulated AND EXISTS (SELECT FROM strandline.twins)
  AND strandline.has_twins(completion_links || search_completion_links);
UPDATE strandline.completion_claims m SET link_ids = strandline.name_twins(link_ids), not_returned = strandline.name_twins(not_returned)
FROM strandline.completions c, strandline.searches s
WHERE c.id = m.completion_id AND s.id = c.search_id AND s.simulated AND EXISTS (SELECT FROM strandline.twins) AND strandline.has_twins(link_ids);
UPDATE strandline.run_results x SET link_ids = strandline.name_twins(link_ids)
FROM strandline.runs r, strandline.searches s
WHERE r.id = x.run_id AND s.id = r.search_id AND s.simulated AND EXISTS (SELECT FROM strandline.twins) AND strandline.has_twins(link_ids);
UPDATE strandline.observed_items x SET link_ids = strandline.name_twins(link_ids)
FROM strandline.runs r, strandline.searches s
WHERE r.id = x.run_id AND s.id = r.search_id AND s.simulated AND EXISTS (SELECT FROM strandline.twins) AND strandline.has_twins(link_ids);
UPDATE strandline.pending_derivations x SET new_links = strandline.name_twins(new_links), touched_links = strandline.name_twins(touched_links)
FROM strandline.searches s WHERE s.id = x.search_id AND s.simulated AND strandline.has_twins(new_links || touched_links);
-- The archive has one document for both.
INSERT INTO strandline.archive_changes (kind, thing)
SELECT 'link', u.id FROM strandline.twins t JOIN strandline.archive_documents d ON d.kind = 'link' AND d.thing = t.id
CROSS JOIN LATERAL unnest(ARRAY[t.id, t.twin_id]) u(id);
DROP FUNCTION strandline.name_twins, strandline.has_twins;
DROP TABLE strandline.split_topics, strandline.split_items, strandline.simulated_links, strandline.twins;

ALTER TABLE strandline.links ADD CONSTRAINT links_canonical_key UNIQUE (canonical, simulated);
ALTER TABLE strandline.link_addresses ADD CONSTRAINT link_addresses_address_simulated_pk PRIMARY KEY (address, simulated);
ALTER TABLE strandline.services ADD CONSTRAINT services_simulated_key UNIQUE (id, simulated);
ALTER TABLE strandline.topics ADD CONSTRAINT topics_simulated_key UNIQUE (id, simulated);
ALTER TABLE strandline.searches ADD CONSTRAINT searches_topic_fk FOREIGN KEY (topic_id, simulated) REFERENCES strandline.topics (id, simulated);
ALTER TABLE strandline.searches ADD CONSTRAINT searches_service_fk
  FOREIGN KEY (service_id, simulated) REFERENCES strandline.services (id, simulated);
