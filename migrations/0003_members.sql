-- Null is unknown: no response said it. An empty list is known to be empty.

ALTER TABLE strandline.posts
  ALTER COLUMN hashtags DROP NOT NULL,
  ALTER COLUMN mentions DROP NOT NULL,
  ALTER COLUMN urls DROP NOT NULL,
  ALTER COLUMN media DROP NOT NULL,
  ALTER COLUMN entities DROP NOT NULL,
  ADD COLUMN display_text_range jsonb;

ALTER TABLE strandline.authors
  ADD COLUMN profile_banner_url text,
  ADD COLUMN pinned_post_ids text[],
  ADD COLUMN professional jsonb,
  ADD COLUMN entities jsonb;

ALTER TABLE strandline.author_counters
  ADD COLUMN followings_count bigint,
  ADD COLUMN followings_count_at timestamp(3) with time zone;

ALTER TABLE strandline.author_snapshots ADD COLUMN followings_count bigint;

ALTER TABLE strandline.links
  ADD COLUMN published_precision text,
  ADD COLUMN publisher text,
  ADD COLUMN highlights text[];

ALTER TABLE strandline.completions ADD COLUMN text text;
