-- All tables, with their functions, triggers and first rows. Columns, constraints and indexes are those of src/store/schema, which
-- says what each is for; what is written by hand here is what drizzle-kit has no words for: partitions, fill factors, functions,
-- triggers and rows. The views of strandline_analytics are in views/.

CREATE SCHEMA IF NOT EXISTS strandline;
CREATE SCHEMA IF NOT EXISTS strandline_analytics;

-- Services, and what may be called of them

CREATE TABLE strandline.services (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL,
  address text,
  dialect text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT services_name_key UNIQUE (name),
  CONSTRAINT services_kind CHECK (kind in ('sandbox', 'own', 'hosted'))
);

CREATE TABLE strandline.call_days (
  service_id bigint NOT NULL,
  day date NOT NULL,
  calls integer NOT NULL,
  CONSTRAINT call_days_service_id_day_pk PRIMARY KEY (service_id, day),
  CONSTRAINT call_days_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id)
);

CREATE TABLE strandline.call_minutes (
  service_id bigint PRIMARY KEY,
  sent_at timestamptz(3)[] NOT NULL,
  CONSTRAINT call_minutes_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id)
);

-- Topics and their searches

CREATE TABLE strandline.topics (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL,
  name text NOT NULL,
  sample boolean DEFAULT false NOT NULL,
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3),
  CONSTRAINT topics_slug_key UNIQUE (slug)
);

CREATE TABLE strandline.searches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic_id bigint NOT NULL,
  service_id bigint NOT NULL,
  slug text NOT NULL,
  operation text NOT NULL,
  version integer NOT NULL,
  labels text[] NOT NULL,
  state text NOT NULL,
  state_reason text,
  state_since timestamptz(3) NOT NULL,
  next_due_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3),
  sensitivity text DEFAULT 'normal' NOT NULL,
  simulation text,
  CONSTRAINT searches_slug_key UNIQUE (slug),
  CONSTRAINT searches_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id),
  CONSTRAINT searches_topic_id_topics_id_fk FOREIGN KEY (topic_id) REFERENCES strandline.topics(id),
  CONSTRAINT searches_next_due CHECK ((next_due_at is not null) = (archived_at is null and state in ('active', 'capped'))),
  CONSTRAINT searches_operation CHECK (operation in ('ai', 'microblog')),
  CONSTRAINT searches_sensitivity CHECK (sensitivity in ('low', 'normal', 'high', 'off')),
  CONSTRAINT searches_slug CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  CONSTRAINT searches_state CHECK (state in ('active', 'paused', 'broken', 'capped'))
);
CREATE INDEX searches_topic ON strandline.searches (topic_id);
CREATE INDEX searches_due ON strandline.searches (next_due_at) WHERE next_due_at is not null;

CREATE TABLE strandline.search_versions (
  search_id bigint NOT NULL,
  version integer NOT NULL,
  request_version integer NOT NULL,
  prompt text NOT NULL,
  tools text[] NOT NULL,
  model text NOT NULL,
  date_filter text,
  streaming boolean DEFAULT false NOT NULL,
  extra jsonb DEFAULT '{}' NOT NULL,
  cron text,
  every_seconds integer,
  tz text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT search_versions_search_id_version_pk PRIMARY KEY (search_id, version),
  CONSTRAINT search_versions_search_id_searches_id_fk FOREIGN KEY (search_id) REFERENCES strandline.searches(id),
  CONSTRAINT search_versions_every CHECK (every_seconds >= 60),
  CONSTRAINT search_versions_schedule CHECK ((cron is null) <> (every_seconds is null))
);

CREATE TABLE strandline.search_states (
  search_id bigint NOT NULL,
  began_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  state text NOT NULL,
  reason text,
  CONSTRAINT search_states_search_id_searches_id_fk FOREIGN KEY (search_id) REFERENCES strandline.searches(id)
);
CREATE INDEX search_states_search ON strandline.search_states (search_id, began_at);

-- Runs, their calls and their responses

CREATE TABLE strandline.runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id bigint NOT NULL,
  version integer NOT NULL,
  request_version integer NOT NULL,
  slot_at timestamptz(3),
  span_until timestamptz(3),
  span_slots integer,
  trigger text NOT NULL,
  status text NOT NULL,
  code text,
  reason text,
  not_before timestamptz(3),
  fence integer DEFAULT 0 NOT NULL,
  claims integer DEFAULT 0 NOT NULL,
  lease_until timestamptz(3),
  worker text,
  created_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  baseline boolean DEFAULT false NOT NULL,
  items_seen integer,
  items_new integer,
  rejected integer,
  offer_at timestamptz(3),
  lease_extended integer,
  CONSTRAINT runs_slot_key UNIQUE (search_id, slot_at),
  CONSTRAINT runs_search_id_searches_id_fk FOREIGN KEY (search_id) REFERENCES strandline.searches(id),
  CONSTRAINT runs_ended CHECK ((status in ('queued', 'running')) = (ended_at is null)),
  CONSTRAINT runs_failed CHECK ((status = 'failed') = (code is not null)),
  CONSTRAINT runs_running CHECK ((status = 'running') = (lease_until is not null)),
  CONSTRAINT runs_skipped CHECK (status <> 'skipped' or reason is not null),
  CONSTRAINT runs_slot_reached CHECK (slot_at <= created_at and span_until <= created_at),
  CONSTRAINT runs_span CHECK ((span_until is null) = (span_slots is null)),
  CONSTRAINT runs_status CHECK (status in ('queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')),
  CONSTRAINT runs_trigger CHECK (trigger in ('schedule', 'manual', 'first'))
);
CREATE UNIQUE INDEX runs_one_running ON strandline.runs (search_id) WHERE status = 'running';
CREATE INDEX runs_open ON strandline.runs (search_id) WHERE status in ('queued', 'running');
CREATE INDEX runs_search ON strandline.runs (search_id, id);
CREATE INDEX runs_ended ON strandline.runs (ended_at);
CREATE INDEX runs_created ON strandline.runs USING brin (created_at);
CREATE INDEX runs_amiss ON strandline.runs (status, id) WHERE status in ('failed', 'skipped', 'cancelled');
CREATE INDEX runs_search_ended ON strandline.runs (search_id, ended_at) WHERE ended_at is not null;
CREATE INDEX runs_offer ON strandline.runs (offer_at) WHERE offer_at is not null;

CREATE TABLE strandline.calls (
  run_id bigint NOT NULL,
  n integer NOT NULL,
  service_id bigint NOT NULL,
  fence integer NOT NULL,
  state text NOT NULL,
  http_status integer,
  code text,
  bytes integer,
  latency_ms integer,
  cost_usd numeric(12,6),
  sent_at timestamptz(3) NOT NULL,
  received_at timestamptz(3),
  refunded boolean DEFAULT false NOT NULL,
  CONSTRAINT calls_run_id_n_pk PRIMARY KEY (run_id, n),
  CONSTRAINT calls_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id),
  CONSTRAINT calls_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id),
  CONSTRAINT calls_state CHECK (state in ('sent', 'received', 'failed', 'unknown'))
);
CREATE INDEX calls_service ON strandline.calls (service_id, sent_at);
CREATE INDEX calls_cost ON strandline.calls (service_id, sent_at) WHERE cost_usd is not null;

CREATE TABLE strandline.answers (
  run_id bigint NOT NULL,
  n integer NOT NULL,
  http_status integer NOT NULL,
  content_type text,
  body bytea NOT NULL,
  sha256 bytea NOT NULL,
  bytes integer NOT NULL,
  received_at timestamptz(3) NOT NULL,
  read_at timestamptz(3),
  read_attempts integer DEFAULT 0 NOT NULL,
  next_read_at timestamptz(3),
  CONSTRAINT answers_run_id_n_pk PRIMARY KEY (run_id, n),
  CONSTRAINT answers_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id)
);
CREATE INDEX answers_received ON strandline.answers (received_at);
CREATE INDEX answers_unread ON strandline.answers (run_id) WHERE read_at is null;

CREATE TABLE strandline.run_results (
  run_id bigint PRIMARY KEY,
  post_ids bigint[] NOT NULL,
  link_ids bigint[] NOT NULL,
  link_sources text[] NOT NULL,
  observed_at timestamptz(3),
  CONSTRAINT run_results_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id)
);

CREATE TABLE strandline.rejects (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL,
  path text NOT NULL,
  code text NOT NULL,
  sample text NOT NULL,
  CONSTRAINT rejects_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id)
);
CREATE INDEX rejects_run ON strandline.rejects (run_id);

CREATE TABLE strandline.trials (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  service_id bigint NOT NULL,
  operation text NOT NULL,
  prompt text NOT NULL,
  tools text[] NOT NULL,
  model text NOT NULL,
  date_filter text,
  streaming boolean NOT NULL,
  extra jsonb NOT NULL,
  state text NOT NULL,
  http_status integer,
  code text,
  bytes integer,
  latency_ms integer,
  cost_usd numeric(12,6),
  sent_at timestamptz(3) NOT NULL,
  deadline_at timestamptz(3) NOT NULL,
  received_at timestamptz(3),
  refunded boolean DEFAULT false NOT NULL,
  CONSTRAINT trials_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id),
  CONSTRAINT trials_operation CHECK (operation in ('ai', 'microblog')),
  CONSTRAINT trials_state CHECK (state in ('sent', 'received', 'failed', 'unknown'))
);
CREATE INDEX trials_service ON strandline.trials (service_id, sent_at);
CREATE INDEX trials_open ON strandline.trials (deadline_at) WHERE state = 'sent';

-- Authors and posts, as last seen and over time
-- Newest counters stand apart from the content, in short rows with room in their pages (fill factor), so that an update stays
-- inside its page (HOT). Counters over time have a partition per month, see ensure_snapshot_partitions below.

CREATE TABLE strandline.authors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  service_id bigint NOT NULL,
  created_at timestamptz(3),
  first_seen_at timestamptz(3) NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  external_id text NOT NULL,
  username text,
  name text,
  url text,
  description text,
  location text,
  profile_image_url text,
  verified boolean,
  is_blue_verified boolean,
  can_dm boolean,
  can_media_tag boolean,
  content_hash bigint,
  CONSTRAINT authors_external_key UNIQUE (service_id, external_id),
  CONSTRAINT authors_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id)
);
CREATE INDEX authors_username ON strandline.authors (lower(username));

CREATE TABLE strandline.author_counters (
  author_id bigint PRIMARY KEY,
  observed_at timestamptz(3) NOT NULL,
  followers_count bigint,
  favourites_count bigint,
  listed_count bigint,
  media_count bigint,
  statuses_count bigint,
  followers_count_at timestamptz(3),
  favourites_count_at timestamptz(3),
  listed_count_at timestamptz(3),
  media_count_at timestamptz(3),
  statuses_count_at timestamptz(3)
) WITH (fillfactor = 75);

CREATE TABLE strandline.author_snapshots (
  author_id bigint NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  followers_count bigint,
  favourites_count bigint,
  listed_count bigint,
  media_count bigint,
  statuses_count bigint,
  CONSTRAINT author_snapshots_author_id_observed_at_pk PRIMARY KEY (author_id, observed_at)
) PARTITION BY RANGE (observed_at);

CREATE TABLE strandline.posts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  service_id bigint NOT NULL,
  author_id bigint,
  created_at timestamptz(3),
  first_seen_at timestamptz(3) NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  external_id text NOT NULL,
  text text NOT NULL,
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
  is_quote_post boolean,
  is_repost boolean,
  hashtags text[] NOT NULL,
  mentions text[] NOT NULL,
  urls text[] NOT NULL,
  media jsonb NOT NULL,
  entities jsonb NOT NULL,
  content_hash bigint,
  CONSTRAINT posts_external_key UNIQUE (service_id, external_id),
  CONSTRAINT posts_author_id_authors_id_fk FOREIGN KEY (author_id) REFERENCES strandline.authors(id),
  CONSTRAINT posts_service_id_services_id_fk FOREIGN KEY (service_id) REFERENCES strandline.services(id)
);
CREATE INDEX posts_author ON strandline.posts (author_id);
CREATE INDEX posts_created ON strandline.posts (created_at);
CREATE INDEX posts_urls ON strandline.posts USING gin (urls) WHERE urls <> '{}';

CREATE TABLE strandline.post_counters (
  post_id bigint PRIMARY KEY,
  observed_at timestamptz(3) NOT NULL,
  reply_count bigint,
  repost_count bigint,
  like_count bigint,
  view_count bigint,
  quote_count bigint,
  impression_count bigint,
  bookmark_count bigint,
  reply_count_at timestamptz(3),
  repost_count_at timestamptz(3),
  like_count_at timestamptz(3),
  view_count_at timestamptz(3),
  quote_count_at timestamptz(3),
  impression_count_at timestamptz(3),
  bookmark_count_at timestamptz(3)
) WITH (fillfactor = 75);

CREATE TABLE strandline.post_snapshots (
  post_id bigint NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  reply_count bigint,
  repost_count bigint,
  like_count bigint,
  view_count bigint,
  quote_count bigint,
  impression_count bigint,
  bookmark_count bigint,
  CONSTRAINT post_snapshots_post_id_observed_at_pk PRIMARY KEY (post_id, observed_at)
) PARTITION BY RANGE (observed_at);
CREATE INDEX post_snapshots_observed ON strandline.post_snapshots USING brin (observed_at);

-- Links

CREATE TABLE strandline.links (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  canonical text NOT NULL,
  site text NOT NULL,
  title text,
  snippet text,
  summary_description text,
  with_metadata boolean,
  published_at timestamptz(3),
  first_seen_at timestamptz(3) NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  CONSTRAINT links_canonical_key UNIQUE (canonical)
);
CREATE INDEX links_site ON strandline.links (site);

CREATE TABLE strandline.link_addresses (
  address text NOT NULL,
  link_id bigint NOT NULL,
  CONSTRAINT link_addresses_address_pk PRIMARY KEY (address),
  CONSTRAINT link_addresses_link_id_links_id_fk FOREIGN KEY (link_id) REFERENCES strandline.links(id)
);
CREATE INDEX link_addresses_link ON strandline.link_addresses (link_id);

-- What each search saw for the first time

CREATE TABLE strandline.post_sightings (
  search_id bigint NOT NULL,
  post_id bigint NOT NULL,
  first_run_id bigint NOT NULL,
  first_seen_at timestamptz(3) NOT NULL,
  post_created_at timestamptz(3),
  CONSTRAINT post_sightings_post_id_search_id_pk PRIMARY KEY (post_id, search_id)
);
CREATE INDEX post_sightings_time ON strandline.post_sightings (search_id, COALESCE(post_created_at, first_seen_at), post_id);

CREATE TABLE strandline.link_sightings (
  search_id bigint NOT NULL,
  link_id bigint NOT NULL,
  first_run_id bigint NOT NULL,
  first_seen_at timestamptz(3) NOT NULL,
  source text NOT NULL,
  CONSTRAINT link_sightings_search_id_link_id_pk PRIMARY KEY (search_id, link_id)
);
CREATE INDEX link_sightings_link ON strandline.link_sightings (link_id);
CREATE INDEX link_sightings_run ON strandline.link_sightings (first_run_id);

CREATE TABLE strandline.discoveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id bigint NOT NULL,
  run_id bigint NOT NULL,
  kind text NOT NULL,
  thing bigint NOT NULL,
  baseline boolean NOT NULL,
  at timestamptz(3) NOT NULL,
  late boolean DEFAULT false NOT NULL,
  CONSTRAINT discoveries_thing_key UNIQUE (kind, thing, search_id),
  CONSTRAINT discoveries_kind CHECK (kind in ('post', 'link', 'completion', 'spike'))
);
CREATE INDEX discoveries_run ON strandline.discoveries (run_id);
CREATE INDEX discoveries_at ON strandline.discoveries USING brin (at);
CREATE INDEX discoveries_feed ON strandline.discoveries (search_id, id);
CREATE INDEX discoveries_search ON strandline.discoveries (search_id, at, kind, baseline);

-- Completions and their statements

CREATE TABLE strandline.completions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL,
  search_id bigint NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  changed boolean NOT NULL,
  summary text,
  microblog_summary text,
  discussion_board_summary text,
  news_forum_summary text,
  text_chunks text[],
  completion_links bigint[] NOT NULL,
  search_completion_links bigint[] NOT NULL,
  miner_link_scores jsonb,
  warnings jsonb NOT NULL,
  claims integer,
  CONSTRAINT completions_run_key UNIQUE (run_id),
  CONSTRAINT completions_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id),
  CONSTRAINT completions_search_id_searches_id_fk FOREIGN KEY (search_id) REFERENCES strandline.searches(id)
);
CREATE INDEX completions_search ON strandline.completions (search_id, observed_at, run_id);
CREATE INDEX completions_cited ON strandline.completions USING gin (completion_links);

CREATE TABLE strandline.key_items (
  completion_id bigint NOT NULL,
  list text NOT NULL,
  position integer NOT NULL,
  text text NOT NULL,
  url text,
  link_id bigint,
  CONSTRAINT key_items_completion_id_list_position_pk PRIMARY KEY (completion_id, list, "position"),
  CONSTRAINT key_items_completion_id_completions_id_fk FOREIGN KEY (completion_id) REFERENCES strandline.completions(id)
);

CREATE TABLE strandline.claims (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id bigint NOT NULL,
  role text NOT NULL,
  identity bytea NOT NULL,
  text text NOT NULL,
  first_run_id bigint NOT NULL,
  first_seen_at timestamptz(3) NOT NULL,
  CONSTRAINT claims_identity_key UNIQUE (search_id, role, identity),
  CONSTRAINT claims_search_id_searches_id_fk FOREIGN KEY (search_id) REFERENCES strandline.searches(id),
  CONSTRAINT claims_role CHECK (role in ('summary', 'microblog_summary', 'discussion_board_summary', 'news_forum_summary'))
);
CREATE INDEX claims_seen ON strandline.claims (search_id, first_seen_at);
CREATE INDEX claims_first_run ON strandline.claims (first_run_id);

CREATE TABLE strandline.completion_claims (
  completion_id bigint NOT NULL,
  position integer NOT NULL,
  claim_id bigint NOT NULL,
  link_ids bigint[] NOT NULL,
  not_returned bigint[] NOT NULL,
  unresolved integer[] NOT NULL,
  CONSTRAINT completion_claims_completion_id_position_pk PRIMARY KEY (completion_id, "position"),
  CONSTRAINT completion_claims_claim_id_claims_id_fk FOREIGN KEY (claim_id) REFERENCES strandline.claims(id) ON DELETE CASCADE,
  CONSTRAINT completion_claims_completion_id_completions_id_fk FOREIGN KEY (completion_id) REFERENCES strandline.completions(id) ON DELETE CASCADE
);
CREATE INDEX completion_claims_claim ON strandline.completion_claims (claim_id, completion_id);

-- What is derived from runs: volume, coverage, spikes

CREATE TABLE strandline.pending_derivations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id bigint NOT NULL,
  run_id bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  posts integer,
  every_seconds integer,
  new_posts bigint[] NOT NULL,
  new_links bigint[] NOT NULL,
  changed_posts bigint[] NOT NULL,
  touched_posts bigint[] NOT NULL,
  touched_links bigint[] NOT NULL,
  checked boolean NOT NULL,
  notify boolean NOT NULL,
  counted boolean DEFAULT false NOT NULL,
  saved_seconds double precision DEFAULT extract(epoch from clock_timestamp() - transaction_timestamp()),
  attempts integer DEFAULT 0 NOT NULL,
  code text,
  retry_at timestamptz(3)
);
CREATE INDEX pending_derivations_search ON strandline.pending_derivations (search_id, at);
CREATE INDEX pending_derivations_at ON strandline.pending_derivations (at);

CREATE TABLE strandline.coverage (
  run_id bigint PRIMARY KEY,
  search_id bigint NOT NULL,
  request_version integer NOT NULL,
  observed_until timestamptz(3) NOT NULL,
  observed_from timestamptz(3) NOT NULL,
  reached_from timestamptz(3) NOT NULL,
  every_seconds integer NOT NULL,
  posts integer NOT NULL,
  most_posts integer NOT NULL,
  CONSTRAINT coverage_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id),
  CONSTRAINT coverage_order CHECK (reached_from <= observed_from and observed_from <= observed_until)
);
CREATE INDEX coverage_search ON strandline.coverage (search_id, observed_until);

CREATE TABLE strandline.volume (
  search_id bigint NOT NULL,
  bucket_at timestamptz(3) NOT NULL,
  posts integer NOT NULL,
  minutes bit(15) NOT NULL,
  cut boolean NOT NULL,
  CONSTRAINT volume_search_id_bucket_at_pk PRIMARY KEY (search_id, bucket_at)
);
CREATE INDEX volume_hour ON strandline.volume (search_id, date_bin('1 hour', bucket_at, 'epoch'));

CREATE TABLE strandline.run_gains (
  run_id bigint PRIMARY KEY,
  search_id bigint NOT NULL,
  from_at timestamptz(3) NOT NULL,
  until_at timestamptz(3) NOT NULL,
  posts integer NOT NULL,
  gained bigint NOT NULL,
  top_post_id bigint,
  top_gained bigint,
  CONSTRAINT run_gains_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs(id),
  CONSTRAINT run_gains_order CHECK (from_at < until_at),
  CONSTRAINT run_gains_top CHECK ((top_post_id is null) = (top_gained is null))
);
CREATE INDEX run_gains_search ON strandline.run_gains (search_id, until_at);

CREATE TABLE strandline.spikes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id bigint NOT NULL,
  run_id bigint NOT NULL,
  measure text NOT NULL,
  window_start timestamptz(3) NOT NULL,
  window_end timestamptz(3) NOT NULL,
  n double precision NOT NULL,
  lower_bound boolean NOT NULL,
  coverage double precision NOT NULL,
  mean double precision NOT NULL,
  sd double precision NOT NULL,
  usual double precision NOT NULL,
  days integer NOT NULL,
  windows integer NOT NULL,
  score double precision NOT NULL,
  threshold double precision NOT NULL,
  sensitivity text NOT NULL,
  provisional boolean NOT NULL,
  tz text NOT NULL,
  sentence text NOT NULL,
  top_post_id bigint,
  top_share double precision,
  at timestamptz(3) NOT NULL,
  weekday_usual double precision,
  CONSTRAINT spikes_window_key UNIQUE (search_id, measure, window_start),
  CONSTRAINT spikes_measure CHECK (measure in ('posts', 'engagement')),
  CONSTRAINT spikes_top CHECK ((top_post_id is null) = (top_share is null))
);
CREATE INDEX spikes_search ON strandline.spikes (search_id, measure, window_end);

-- Growth of posts
-- Rows that are updated again and again, and whose indexes do not change, stay inside their page (fill factor).

CREATE TABLE strandline.post_gains (
  post_id bigint PRIMARY KEY,
  changed_at timestamptz(3) NOT NULL,
  changed_before_at timestamptz(3) NOT NULL,
  step_like_count bigint,
  step_engagement bigint,
  first_reply_count bigint,
  first_repost_count bigint,
  first_like_count bigint,
  first_view_count bigint,
  first_quote_count bigint,
  first_impression_count bigint,
  first_bookmark_count bigint,
  gained_reply_count bigint,
  gained_repost_count bigint,
  gained_like_count bigint,
  gained_view_count bigint,
  gained_quote_count bigint,
  gained_impression_count bigint,
  gained_bookmark_count bigint,
  lost_reply_count bigint,
  lost_repost_count bigint,
  lost_like_count bigint,
  lost_view_count bigint,
  lost_quote_count bigint,
  lost_impression_count bigint,
  lost_bookmark_count bigint
) WITH (fillfactor = 80);

CREATE TABLE strandline.post_ages (
  post_id bigint NOT NULL,
  hours integer NOT NULL,
  before_at timestamptz(3) NOT NULL,
  after_at timestamptz(3) NOT NULL,
  reply_count double precision,
  repost_count double precision,
  like_count double precision,
  view_count double precision,
  quote_count double precision,
  impression_count double precision,
  bookmark_count double precision,
  search_id bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT post_ages_search_id_hours_at_post_id_pk PRIMARY KEY (search_id, hours, at, post_id),
  CONSTRAINT post_ages_hours CHECK (hours in (1, 3, 8, 24, 72))
);
CREATE INDEX post_ages_post ON strandline.post_ages (post_id);
CREATE INDEX post_ages_most ON strandline.post_ages (search_id, hours, (
  CASE WHEN coalesce(like_count, repost_count, reply_count, quote_count) IS NOT NULL
    THEN coalesce(like_count, 0) + coalesce(repost_count, 0) + coalesce(reply_count, 0) + coalesce(quote_count, 0) END
) DESC NULLS LAST, post_id DESC NULLS FIRST, at);

CREATE TABLE strandline.search_gains (
  search_id bigint NOT NULL,
  hour_at timestamptz(3) NOT NULL,
  changes bigint NOT NULL,
  gained_reply_count bigint,
  gained_repost_count bigint,
  gained_like_count bigint,
  gained_view_count bigint,
  gained_quote_count bigint,
  gained_impression_count bigint,
  gained_bookmark_count bigint,
  lost_reply_count bigint,
  lost_repost_count bigint,
  lost_like_count bigint,
  lost_view_count bigint,
  lost_quote_count bigint,
  lost_impression_count bigint,
  lost_bookmark_count bigint,
  looks integer NOT NULL,
  followed bigint NOT NULL,
  CONSTRAINT search_gains_search_id_hour_at_pk PRIMARY KEY (search_id, hour_at)
) WITH (fillfactor = 80);

CREATE TABLE strandline.looks (
  search_id bigint PRIMARY KEY,
  run_id bigint NOT NULL,
  at timestamptz(3) NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE strandline.unseen (
  search_id bigint NOT NULL,
  post_id bigint NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  created_at timestamptz(3),
  engagement bigint,
  CONSTRAINT unseen_post_id_search_id_pk PRIMARY KEY (post_id, search_id)
);
CREATE INDEX unseen_search ON strandline.unseen (search_id, last_seen_at);
CREATE INDEX unseen_most ON strandline.unseen (search_id, date_bin('1 day', created_at, 'epoch'), engagement DESC NULLS LAST, post_id, created_at);

CREATE TABLE strandline.search_typical (
  search_id bigint NOT NULL,
  posts bigint NOT NULL,
  reply_count double precision,
  repost_count double precision,
  like_count double precision,
  view_count double precision,
  quote_count double precision,
  impression_count double precision,
  bookmark_count double precision,
  engagement double precision,
  hours integer NOT NULL,
  CONSTRAINT search_typical_search_id_hours_pk PRIMARY KEY (search_id, hours)
) WITH (fillfactor = 50);

CREATE TABLE strandline.search_rising (
  search_id bigint NOT NULL,
  post_id bigint NOT NULL,
  as_of timestamptz(3) NOT NULL,
  age_hours double precision,
  gained bigint NOT NULL,
  observed_hours double precision NOT NULL,
  typical_per_hour double precision,
  compared_with bigint,
  CONSTRAINT search_rising_search_id_post_id_pk PRIMARY KEY (search_id, post_id)
);
CREATE INDEX search_rising_post ON strandline.search_rising (post_id);

-- Tallies per day
-- The fill factor as above.

CREATE TABLE strandline.search_days (
  search_id bigint NOT NULL,
  day_at timestamptz(3) NOT NULL,
  posts integer NOT NULL,
  topic_posts integer NOT NULL,
  topic_reposts integer NOT NULL,
  minutes integer NOT NULL,
  cut boolean NOT NULL,
  CONSTRAINT search_days_search_id_day_at_pk PRIMARY KEY (search_id, day_at)
) WITH (fillfactor = 80);
CREATE INDEX search_days_day ON strandline.search_days (day_at);

CREATE TABLE strandline.search_tops (
  search_id bigint NOT NULL,
  day_at timestamptz(3) NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  posts integer NOT NULL,
  topic_posts integer NOT NULL,
  CONSTRAINT search_tops_search_id_kind_day_at_name_pk PRIMARY KEY (search_id, kind, day_at, name),
  CONSTRAINT search_tops_kind CHECK (kind in ('author', 'language', 'hashtag', 'domain', 'site'))
) WITH (fillfactor = 80);

-- Full text over what was found

CREATE TABLE strandline.archive_documents (
  kind text NOT NULL,
  thing bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  sandbox boolean NOT NULL,
  config text NOT NULL,
  words integer NOT NULL,
  tsv tsvector NOT NULL,
  CONSTRAINT archive_documents_kind_thing_pk PRIMARY KEY (kind, thing),
  CONSTRAINT archive_documents_kind CHECK (kind in ('post', 'link'))
);
CREATE INDEX archive_documents_tsv ON strandline.archive_documents USING gin (tsv);
CREATE INDEX archive_documents_at ON strandline.archive_documents (at);

CREATE TABLE strandline.archive_lexemes (
  lexeme text NOT NULL,
  sandbox boolean NOT NULL,
  documents integer NOT NULL,
  newest_at timestamptz(3) DEFAULT 'infinity' NOT NULL,
  CONSTRAINT archive_lexemes_lexeme_sandbox_pk PRIMARY KEY (lexeme, sandbox)
);

CREATE TABLE strandline.archive_corpora (
  sandbox boolean NOT NULL,
  documents bigint NOT NULL,
  words bigint NOT NULL,
  config text NOT NULL,
  CONSTRAINT archive_corpora_sandbox_config_pk PRIMARY KEY (sandbox, config)
);

CREATE TABLE strandline.archive_progress (
  "only" boolean DEFAULT true NOT NULL,
  discovery_id bigint NOT NULL,
  CONSTRAINT archive_progress_pkey PRIMARY KEY ("only"),
  CONSTRAINT archive_progress_only CHECK ("only")
);

CREATE TABLE strandline.archive_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  thing bigint NOT NULL
);

-- Alerts

CREATE TABLE strandline.channels (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  secrets text[] NOT NULL,
  former_until timestamptz(3),
  state text NOT NULL,
  state_reason text,
  state_since timestamptz(3) NOT NULL,
  cursor bigint NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  failing_since timestamptz(3),
  resting_until timestamptz(3),
  last_delivered_at timestamptz(3),
  fence integer DEFAULT 0 NOT NULL,
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3),
  CONSTRAINT channels_kind CHECK (kind in ('webhook')),
  CONSTRAINT channels_secrets CHECK (cardinality(secrets) <= 2),
  CONSTRAINT channels_slug CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  CONSTRAINT channels_state CHECK (state in ('active', 'paused', 'disabled'))
);
CREATE UNIQUE INDEX channels_slug_key ON strandline.channels (slug) WHERE archived_at is null;

CREATE TABLE strandline.rules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL,
  name text NOT NULL,
  topic_id bigint,
  search_id bigint,
  kinds text[] NOT NULL,
  filter text NOT NULL,
  cooldown_seconds integer NOT NULL,
  state text NOT NULL,
  state_since timestamptz(3) NOT NULL,
  after bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3),
  CONSTRAINT rules_cooldown CHECK (cooldown_seconds >= 0),
  CONSTRAINT rules_kinds CHECK (cardinality(kinds) > 0 and kinds <@ array['post', 'link', 'spike']),
  CONSTRAINT rules_scope CHECK (topic_id is null or search_id is null),
  CONSTRAINT rules_slug CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  CONSTRAINT rules_state CHECK (state in ('active', 'paused'))
);
CREATE UNIQUE INDEX rules_slug_key ON strandline.rules (slug) WHERE archived_at is null;

CREATE TABLE strandline.rule_channels (
  rule_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  after bigint NOT NULL,
  CONSTRAINT rule_channels_rule_id_channel_id_pk PRIMARY KEY (rule_id, channel_id),
  CONSTRAINT rule_channels_channel_id_channels_id_fk FOREIGN KEY (channel_id) REFERENCES strandline.channels(id),
  CONSTRAINT rule_channels_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES strandline.rules(id)
);
CREATE INDEX rule_channels_channel ON strandline.rule_channels (channel_id);

CREATE TABLE strandline.deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id text NOT NULL,
  channel_id bigint NOT NULL,
  rule_id bigint NOT NULL,
  run_id bigint,
  state text NOT NULL,
  reason text,
  body text,
  created_at timestamptz(3) NOT NULL,
  made_at timestamptz(3),
  next_attempt_at timestamptz(3),
  attempts integer DEFAULT 0 NOT NULL,
  last_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  http_status integer,
  code text,
  answer text,
  CONSTRAINT deliveries_message_key UNIQUE (message_id),
  CONSTRAINT deliveries_channel_id_channels_id_fk FOREIGN KEY (channel_id) REFERENCES strandline.channels(id),
  CONSTRAINT deliveries_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES strandline.rules(id),
  CONSTRAINT deliveries_body CHECK (state <> 'pending' or body is not null),
  CONSTRAINT deliveries_next CHECK ((state in ('gathering', 'pending')) = (next_attempt_at is not null)),
  CONSTRAINT deliveries_state CHECK (state in ('gathering', 'pending', 'delivered', 'dead', 'cancelled'))
);
CREATE INDEX deliveries_due ON strandline.deliveries (channel_id, next_attempt_at) WHERE state in ('gathering', 'pending');
CREATE INDEX deliveries_channel ON strandline.deliveries (channel_id, id);
CREATE INDEX deliveries_rule ON strandline.deliveries (rule_id, channel_id, made_at);
CREATE INDEX deliveries_dead ON strandline.deliveries (channel_id, id) WHERE state = 'dead';
CREATE INDEX deliveries_run ON strandline.deliveries (run_id);

CREATE TABLE strandline.delivery_discoveries (
  rule_id bigint NOT NULL,
  discovery_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  CONSTRAINT delivery_discoveries_rule_id_discovery_id_channel_id_pk PRIMARY KEY (rule_id, discovery_id, channel_id),
  CONSTRAINT delivery_discoveries_delivery_id_deliveries_id_fk FOREIGN KEY (delivery_id) REFERENCES strandline.deliveries(id)
);
CREATE INDEX delivery_discoveries_delivery ON strandline.delivery_discoveries (delivery_id, discovery_id);
CREATE INDEX delivery_discoveries_discovery ON strandline.delivery_discoveries (discovery_id);

-- Workers, the scan and recurring work

CREATE TABLE strandline.workers (
  name text PRIMARY KEY,
  version text NOT NULL,
  queue text NOT NULL,
  concurrency integer NOT NULL,
  skew_ms integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  spooled integer DEFAULT 0 NOT NULL
);

CREATE TABLE strandline.scanner (
  id smallint DEFAULT 1 PRIMARY KEY,
  scanned_at timestamptz(3) NOT NULL,
  CONSTRAINT scanner_one CHECK (id = 1)
);

CREATE TABLE strandline.recurring_work (
  name text PRIMARY KEY,
  next_due_at timestamptz(3) NOT NULL,
  last_ended_at timestamptz(3)
);

CREATE TABLE strandline.facts (
  name text PRIMARY KEY,
  value text NOT NULL,
  at timestamptz(3) NOT NULL
);

CREATE TABLE strandline.counts (
  name text NOT NULL,
  labels text[] NOT NULL,
  n double precision NOT NULL,
  CONSTRAINT counts_name_labels_pk PRIMARY KEY (name, labels)
);

CREATE TABLE strandline.count_steps (
  name text NOT NULL,
  labels text[] NOT NULL,
  n double precision NOT NULL
);

-- Access

CREATE TABLE strandline.tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  prefix text NOT NULL,
  name text NOT NULL,
  hash text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  expires_at timestamptz(3),
  former_hash text,
  former_until timestamptz(3),
  CONSTRAINT tokens_prefix_key UNIQUE (prefix),
  CONSTRAINT tokens_former CHECK ((former_hash is null) = (former_until is null))
);

CREATE TABLE strandline.sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash text NOT NULL,
  token_id bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3),
  CONSTRAINT sessions_hash_key UNIQUE (hash),
  CONSTRAINT sessions_token_id_tokens_id_fk FOREIGN KEY (token_id) REFERENCES strandline.tokens(id) ON DELETE CASCADE
);
CREATE INDEX sessions_token ON strandline.sessions (token_id);

CREATE TABLE strandline.form_secret (
  one boolean DEFAULT true PRIMARY KEY,
  secret text NOT NULL,
  made_at timestamptz(3) NOT NULL,
  CONSTRAINT form_secret_one CHECK (one)
);

CREATE TABLE strandline.idempotency_keys (
  visitor text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  fence integer DEFAULT 1 NOT NULL,
  lease_until timestamptz(3),
  committed text,
  status integer,
  reply text,
  CONSTRAINT idempotency_keys_visitor_route_key_pk PRIMARY KEY (visitor, route, key),
  CONSTRAINT idempotency_keys_state CHECK ((status is null) = (lease_until is not null))
);

CREATE TABLE strandline.audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  actor text NOT NULL,
  token text,
  name text,
  action text NOT NULL,
  subject text,
  changes jsonb NOT NULL,
  CONSTRAINT audit_log_action CHECK (action ~ '^[a-z_]+[.][a-z_]+$'),
  CONSTRAINT audit_log_actor CHECK (actor in ('token', 'session', 'local', 'command_line', 'program')),
  CONSTRAINT audit_log_changes CHECK (pg_column_size(changes) <= 65536),
  CONSTRAINT audit_log_token CHECK ((token is not null) = (actor in ('token', 'session')))
);
CREATE INDEX audit_log_at ON strandline.audit_log (at);
CREATE INDEX audit_log_token ON strandline.audit_log (token, id);
CREATE INDEX audit_log_subject ON strandline.audit_log (subject, id);

-- Public sources of the search service

CREATE TABLE strandline.source_allowances (
  source text NOT NULL,
  period text NOT NULL,
  units bigint NOT NULL,
  counted_at timestamptz(3) NOT NULL,
  CONSTRAINT source_allowances_source_period_pk PRIMARY KEY (source, period),
  CONSTRAINT source_allowances_units CHECK (units >= 0)
);

CREATE TABLE strandline.source_turns (
  source text PRIMARY KEY,
  at timestamptz(3) NOT NULL
);

-- Who was forgotten

CREATE TABLE strandline.forgotten (
  digest bytea PRIMARY KEY,
  at timestamptz(3) NOT NULL
);

-- Partitions of the snapshots

-- Snapshots are in one partition per month (UTC), named by it: dropping a month is then dropping a table. Created ahead of need
-- under one lock, by attaching, so that readers and writers of other months go on. A role that owns no table may call both
-- functions, where it is granted: they run as their owner.
CREATE FUNCTION strandline.ensure_snapshot_partitions(from_month timestamptz, to_month timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', from_month AT TIME ZONE 'UTC');
  parent text;
  child text;
  made integer := 0;
BEGIN
  WHILE month <= date_trunc('month', to_month AT TIME ZONE 'UTC') LOOP
    FOREACH parent IN ARRAY ARRAY['post_snapshots', 'author_snapshots'] LOOP
      child := parent || '_' || to_char(month, 'YYYY_MM');
      IF to_regclass('strandline.' || child) IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('strandline.partitions'));
        -- Asked of the table: to_regclass answers from a cache that knows nothing of who held the lock before.
        IF NOT EXISTS (SELECT FROM pg_class WHERE relname = child AND relnamespace = 'strandline'::regnamespace) THEN
          EXECUTE format('CREATE TABLE strandline.%I (LIKE strandline.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', child, parent);
          EXECUTE format('ALTER TABLE strandline.%I ATTACH PARTITION strandline.%I FOR VALUES FROM (%L) TO (%L)',
            parent, child, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
          made := made + 1;
        END IF;
      END IF;
    END LOOP;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END
$$;
REVOKE EXECUTE ON FUNCTION strandline.ensure_snapshot_partitions(timestamptz, timestamptz) FROM PUBLIC;

-- In a function no partition can be taken out CONCURRENTLY: it gives up before anybody who saves waits for long.
CREATE FUNCTION strandline.drop_snapshot_month(child text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
BEGIN
  IF child !~ '^(post|author)_snapshots_\d{4}_\d\d$' THEN
    RAISE EXCEPTION '% is no month of snapshots', child USING ERRCODE = '22023';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS strandline.%I', child);
END
$$;
REVOKE EXECUTE ON FUNCTION strandline.drop_snapshot_month(text) FROM PUBLIC;

-- Words

-- Lower case of every alphabet: the locale of our own databases is C, which knows only that of ASCII.
DO $$ BEGIN
  EXECUTE format('CREATE FUNCTION strandline.lowered(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
    'SELECT lower(word' || coalesce((SELECT ' COLLATE pg_catalog.' || quote_ident(collname) FROM pg_collation
      WHERE collname IN ('und-x-icu', 'pg_c_utf8') AND collnamespace = 'pg_catalog'::regnamespace
      ORDER BY collname DESC LIMIT 1), '') || ')');
END $$;

-- What is found is read from the feed. Only a change of words, later, is not in it: an edited post, another
-- title of a page. The condition calls nothing; a change of counters passes by.
CREATE FUNCTION strandline.archive_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.archive_changes (kind, thing) VALUES (TG_ARGV[0], NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER archive_change AFTER UPDATE OF text ON strandline.posts
  FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text)
  EXECUTE FUNCTION strandline.archive_change('post');
CREATE TRIGGER archive_change AFTER UPDATE OF title, snippet, summary_description ON strandline.links
  FOR EACH ROW WHEN ((OLD.title, OLD.snippet, OLD.summary_description) IS DISTINCT FROM (NEW.title, NEW.snippet, NEW.summary_description))
  EXECUTE FUNCTION strandline.archive_change('link');

-- Who was forgotten

-- Called by every save, in its first statement. The lock, held until the save ends, is the shared side of the
-- one that forgetting takes alone: a save is over before somebody is forgotten, or begins after it and knows.
-- Volatile, so that its second statement sees what was committed while the first one waited.
CREATE FUNCTION strandline.any_forgotten() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('strandline.forget'));
  RETURN EXISTS (SELECT FROM strandline.forgotten);
END
$$;

-- Counts
-- A step is written in the transaction in which a thing happens. Runs that succeed, and discoveries, are counted from their
-- readings, many at a time; triggers are for what has no reading, and fire for nothing else.

-- Rows that are loaded from a backup happened long ago: whoever loads them says so.
CREATE FUNCTION strandline.is_restoring() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('strandline.restoring', true) IS NOT DISTINCT FROM 'on'
$$;

-- The first bound that a value does not exceed, as a label of a histogram.
CREATE FUNCTION strandline.bucket_of(value double precision, bounds double precision[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce((SELECT min(b)::text FROM unnest(bounds) b WHERE value <= b), '+Inf')
$$;

CREATE FUNCTION strandline.kind_of_search(search_id bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT v.kind FROM strandline.searches s JOIN strandline.services v ON v.id = s.service_id WHERE s.id = $1
$$;

-- A run ends without a result; where it had begun, how long after its slot.
CREATE FUNCTION strandline.count_run_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  code text := coalesce(CASE NEW.status WHEN 'failed' THEN NEW.code ELSE NEW.reason END, '');
  kind text := strandline.kind_of_search(NEW.search_id);
  late double precision := greatest(0, extract(epoch FROM NEW.started_at - NEW.slot_at));
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n) VALUES ('runs', ARRAY[kind, NEW.status, code], 1);
  IF NEW.started_at IS NOT NULL AND NEW.slot_at IS NOT NULL THEN
    INSERT INTO strandline.count_steps (name, labels, n) VALUES
      ('run_lateness', ARRAY[kind, strandline.bucket_of(late, '{0.5,1,2,5,10,30,60,300,900,3600}')], 1),
      ('run_lateness_sum', ARRAY[kind], late);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_run_end AFTER UPDATE ON strandline.runs
  FOR EACH ROW WHEN (OLD.status IN ('queued', 'running') AND NEW.status IN ('failed', 'cancelled'))
  EXECUTE FUNCTION strandline.count_run_end();

-- Slots that are not run end as they are written; a span of them is one row.
CREATE FUNCTION strandline.count_skipped_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n)
  VALUES ('runs', ARRAY[strandline.kind_of_search(NEW.search_id), NEW.status, NEW.reason], coalesce(NEW.span_slots, 1));
  RETURN NULL;
END $$;
CREATE TRIGGER count_skipped_runs AFTER INSERT ON strandline.runs
  FOR EACH ROW WHEN (NEW.status = 'skipped' AND NOT strandline.is_restoring())
  EXECUTE FUNCTION strandline.count_skipped_runs();

-- How a call ended, and what it cost; the cost of one that was given up may be known later.
CREATE FUNCTION strandline.count_call() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := (SELECT v.kind FROM strandline.services v WHERE v.id = NEW.service_id);
BEGIN
  IF OLD.state = 'sent' THEN
    INSERT INTO strandline.count_steps (name, labels, n)
    VALUES ('calls', ARRAY[kind, TG_ARGV[0], NEW.state, coalesce(NEW.code, '')], 1);
  END IF;
  IF OLD.cost_usd IS NULL AND NEW.cost_usd IS NOT NULL THEN
    INSERT INTO strandline.count_steps (name, labels, n) VALUES ('call_cost_usd', ARRAY[kind], NEW.cost_usd);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_call AFTER UPDATE OF state ON strandline.calls
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION strandline.count_call('run');
CREATE TRIGGER count_call AFTER UPDATE OF state ON strandline.trials
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION strandline.count_call('trial');

-- Those of a run that succeeds are counted from its reading.
CREATE FUNCTION strandline.count_rejects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n)
  SELECT 'rejects', ARRAY[NEW.code], 1 FROM strandline.runs WHERE id = NEW.run_id AND status <> 'succeeded';
  RETURN NULL;
END $$;
CREATE TRIGGER count_rejects AFTER INSERT ON strandline.rejects
  FOR EACH ROW WHEN (NOT strandline.is_restoring()) EXECUTE FUNCTION strandline.count_rejects();

CREATE FUNCTION strandline.count_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n) VALUES ('deliveries', ARRAY[NEW.state], 1);
  RETURN NULL;
END $$;
CREATE TRIGGER count_delivery AFTER UPDATE OF state ON strandline.deliveries
  FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state IN ('delivered', 'dead', 'cancelled'))
  EXECUTE FUNCTION strandline.count_delivery();

-- First rows

INSERT INTO strandline.archive_progress (discovery_id) VALUES (0);
INSERT INTO strandline.counts (name, labels, n) VALUES ('discoveries_until', '{}', 0);
-- The first scan is due at once.
INSERT INTO strandline.scanner (scanned_at) VALUES (date_trunc('milliseconds', clock_timestamp()) - interval '1 minute');
