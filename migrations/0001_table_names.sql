-- Tables whose names said little to anyone but their authors are named for what they hold. Rows, columns and grants stay, and views
-- follow by themselves. `0000_tables` keeps the old names: a backup from before is loaded into its tables, and then comes here.

-- The newest response of each search
ALTER TABLE strandline.looks RENAME TO latest_results;
ALTER TABLE strandline.latest_results RENAME CONSTRAINT looks_pkey TO latest_results_pkey;

-- Posts that it no longer holds
ALTER TABLE strandline.unseen RENAME TO dropped_posts;
ALTER TABLE strandline.dropped_posts RENAME CONSTRAINT unseen_post_id_search_id_pk TO dropped_posts_post_id_search_id_pk;
ALTER INDEX strandline.unseen_search RENAME TO dropped_posts_search;
ALTER INDEX strandline.unseen_most RENAME TO dropped_posts_most;

-- Raw responses
ALTER TABLE strandline.answers RENAME TO responses;
ALTER TABLE strandline.responses RENAME CONSTRAINT answers_run_id_n_pk TO responses_run_id_n_pk;
ALTER TABLE strandline.responses RENAME CONSTRAINT answers_run_id_runs_id_fk TO responses_run_id_runs_id_fk;
ALTER INDEX strandline.answers_received RENAME TO responses_received;
ALTER INDEX strandline.answers_unread RENAME TO responses_unread;

-- Counters of posts at fixed ages
ALTER TABLE strandline.post_ages RENAME TO post_counters_at_age;
ALTER TABLE strandline.post_counters_at_age
  RENAME CONSTRAINT post_ages_search_id_hours_at_post_id_pk TO post_counters_at_age_search_id_hours_at_post_id_pk;
ALTER TABLE strandline.post_counters_at_age RENAME CONSTRAINT post_ages_hours TO post_counters_at_age_hours;
ALTER INDEX strandline.post_ages_post RENAME TO post_counters_at_age_post;
ALTER INDEX strandline.post_ages_most RENAME TO post_counters_at_age_most;

-- When a public source was last asked
ALTER TABLE strandline.source_turns RENAME TO source_pacing;
ALTER TABLE strandline.source_pacing RENAME CONSTRAINT source_turns_pkey TO source_pacing_pkey;

-- Digests of what was forgotten on request
ALTER TABLE strandline.forgotten RENAME TO tombstones;
ALTER TABLE strandline.tombstones RENAME CONSTRAINT forgotten_pkey TO tombstones_pkey;

-- What was counted and not yet added up
ALTER TABLE strandline.count_steps RENAME TO count_increments;

-- Functions are text: those that name one of these tables are replaced. Why they are as they are is said in `0000_tables`; their
-- triggers, owners and grants stay.

CREATE OR REPLACE FUNCTION strandline.any_forgotten() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('strandline.forget'));
  RETURN EXISTS (SELECT FROM strandline.tombstones);
END
$$;

CREATE OR REPLACE FUNCTION strandline.count_run_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  code text := coalesce(CASE NEW.status WHEN 'failed' THEN NEW.code ELSE NEW.reason END, '');
  kind text := strandline.kind_of_search(NEW.search_id);
  late double precision := greatest(0, extract(epoch FROM NEW.started_at - NEW.slot_at));
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n) VALUES ('runs', ARRAY[kind, NEW.status, code], 1);
  IF NEW.started_at IS NOT NULL AND NEW.slot_at IS NOT NULL THEN
    INSERT INTO strandline.count_increments (name, labels, n) VALUES
      ('run_lateness', ARRAY[kind, strandline.bucket_of(late, '{0.5,1,2,5,10,30,60,300,900,3600}')], 1),
      ('run_lateness_sum', ARRAY[kind], late);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION strandline.count_skipped_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n)
  VALUES ('runs', ARRAY[strandline.kind_of_search(NEW.search_id), NEW.status, NEW.reason], coalesce(NEW.span_slots, 1));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION strandline.count_call() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := (SELECT v.kind FROM strandline.services v WHERE v.id = NEW.service_id);
BEGIN
  IF OLD.state = 'sent' THEN
    INSERT INTO strandline.count_increments (name, labels, n)
    VALUES ('calls', ARRAY[kind, TG_ARGV[0], NEW.state, coalesce(NEW.code, '')], 1);
  END IF;
  IF OLD.cost_usd IS NULL AND NEW.cost_usd IS NOT NULL THEN
    INSERT INTO strandline.count_increments (name, labels, n) VALUES ('call_cost_usd', ARRAY[kind], NEW.cost_usd);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION strandline.count_rejects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n)
  SELECT 'rejects', ARRAY[NEW.code], 1 FROM strandline.runs WHERE id = NEW.run_id AND status <> 'succeeded';
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION strandline.count_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n) VALUES ('deliveries', ARRAY[NEW.state], 1);
  RETURN NULL;
END $$;
