-- Each item is reported once per topic. Columns are added without rewriting tables. The three indexes block writes to posts,
-- discoveries and key items while they are built: some seconds per ten million rows.
CREATE TABLE strandline.topic_items (
  topic_id bigint NOT NULL,
  key text NOT NULL,
  reported boolean NOT NULL,
  CONSTRAINT topic_items_topic_id_key_pk PRIMARY KEY (topic_id, key)
);
ALTER TABLE strandline.posts ADD COLUMN key text;
CREATE INDEX posts_key ON strandline.posts (key);
CREATE INDEX key_items_link ON strandline.key_items (link_id) WHERE link_id IS NOT NULL;
-- Until `fill-topic-items.ts` has read what is stored, every discovery is shown.
ALTER TABLE strandline.discoveries ADD COLUMN first_in_topic boolean NOT NULL DEFAULT true;
CREATE INDEX discoveries_first ON strandline.discoveries (search_id, id) WHERE first_in_topic;

-- Up to which post and discovery the keys are filled, and the last discovery to fill.
INSERT INTO strandline.facts (name, value, at)
SELECT 'topic_items', json_build_object('posts', '0', 'discoveries', '0', 'until', coalesce((SELECT max(id) FROM strandline.discoveries), 0)::text),
  date_trunc('milliseconds', clock_timestamp())
WHERE EXISTS (SELECT FROM strandline.posts) OR EXISTS (SELECT FROM strandline.discoveries);
