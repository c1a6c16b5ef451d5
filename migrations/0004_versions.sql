-- Content of posts and authors over time. Only what ever differed has versions; what is stored today counts as a full copy.

ALTER TABLE strandline.authors
  ADD COLUMN run_id bigint,
  ADD COLUMN is_partial boolean NOT NULL DEFAULT false,
  ADD COLUMN partial_hash bigint;
ALTER TABLE strandline.posts
  ADD COLUMN run_id bigint,
  ADD COLUMN is_partial boolean NOT NULL DEFAULT false,
  ADD COLUMN partial_hash bigint;

CREATE TABLE strandline.post_versions (
  post_id bigint NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  run_id bigint,
  is_partial boolean NOT NULL,
  author_id bigint,
  created_at timestamptz(3),
  text text,
  url text,
  lang text,
  conversation_id text,
  in_reply_to_screen_name text,
  in_reply_to_status_id text,
  in_reply_to_user_id text,
  quoted_status_id text,
  reposted_status_id text,
  quote text,
  summary_description text,
  display_text_range jsonb,
  is_quote_post boolean,
  is_repost boolean,
  hashtags text[],
  mentions text[],
  urls text[],
  media jsonb,
  entities jsonb,
  CONSTRAINT post_versions_post_id_observed_at_pk PRIMARY KEY (post_id, observed_at)
);

CREATE TABLE strandline.author_versions (
  author_id bigint NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  run_id bigint,
  is_partial boolean NOT NULL,
  created_at timestamptz(3),
  username text,
  name text,
  url text,
  description text,
  location text,
  profile_image_url text,
  profile_banner_url text,
  pinned_post_ids text[],
  professional jsonb,
  entities jsonb,
  verified boolean,
  is_blue_verified boolean,
  can_dm boolean,
  can_media_tag boolean,
  CONSTRAINT author_versions_author_id_observed_at_pk PRIMARY KEY (author_id, observed_at)
);

-- Each member of a link has its own time.
ALTER TABLE strandline.links ADD COLUMN known_at timestamptz(3)[];

-- Which posts, authors and links each response contained, and which of their members it knew
CREATE TABLE strandline.observed_items (
  observed_at timestamptz(3) NOT NULL,
  run_id bigint NOT NULL,
  post_ids bigint[] NOT NULL,
  post_known bigint[] NOT NULL,
  author_ids bigint[] NOT NULL,
  author_known bigint[] NOT NULL,
  link_ids bigint[] NOT NULL,
  link_known bigint[] NOT NULL,
  CONSTRAINT observed_items_observed_at_run_id_pk PRIMARY KEY (observed_at, run_id)
) WITH (toast_tuple_target = 8160); -- a response of 100 posts stays in one row, uncompressed

-- Existing posts whose author, time, language, hashtags, URLs or kind changed
ALTER TABLE strandline.pending_derivations ADD COLUMN edited_posts bigint[] NOT NULL DEFAULT '{}';
