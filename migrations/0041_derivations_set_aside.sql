-- What waits by now was counted by the triggers that end here.
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "counted" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ALTER COLUMN "counted" SET DEFAULT false;--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "saved_seconds" double precision DEFAULT extract(epoch from clock_timestamp() - transaction_timestamp());--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "code" text;--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "retry_at" timestamp (3) with time zone;
--> statement-breakpoint
-- Runs that succeeded, and when they began, are counted from their readings, many at a time; discoveries by their numbers,
-- which grow in the order of commits. Triggers are left for what has no reading, and fire for nothing else.
INSERT INTO "strandline"."counts" ("name", "labels", "n")
SELECT 'discoveries_until', '{}', coalesce(max("id"), 0) FROM "strandline"."discoveries";
--> statement-breakpoint
DROP TRIGGER "count_discoveries" ON "strandline"."discoveries";
--> statement-breakpoint
DROP FUNCTION "strandline"."count_discoveries"();
--> statement-breakpoint
DROP TRIGGER "count_run_start" ON "strandline"."runs";
--> statement-breakpoint
DROP FUNCTION "strandline"."count_run_start"();
--> statement-breakpoint
DROP TRIGGER "count_run_end" ON "strandline"."runs";
--> statement-breakpoint
-- A run ends without a result; where it had begun, how long after its slot.
CREATE OR REPLACE FUNCTION "strandline"."count_run_end"() RETURNS trigger LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE TRIGGER "count_run_end" AFTER UPDATE ON "strandline"."runs"
  FOR EACH ROW WHEN (OLD.status IN ('queued', 'running') AND NEW.status IN ('failed', 'cancelled'))
  EXECUTE FUNCTION "strandline"."count_run_end"();
--> statement-breakpoint
DROP TRIGGER "count_skipped_runs" ON "strandline"."runs";
--> statement-breakpoint
-- Slots that are not run end as they are written; a span of them is one row.
CREATE OR REPLACE FUNCTION "strandline"."count_skipped_runs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n)
  VALUES ('runs', ARRAY[strandline.kind_of_search(NEW.search_id), NEW.status, NEW.reason], coalesce(NEW.span_slots, 1));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_skipped_runs" AFTER INSERT ON "strandline"."runs"
  FOR EACH ROW WHEN (NEW.status = 'skipped' AND NOT "strandline"."is_restoring"())
  EXECUTE FUNCTION "strandline"."count_skipped_runs"();
--> statement-breakpoint
DROP TRIGGER "count_rejects" ON "strandline"."rejects";
--> statement-breakpoint
-- Those of a run that succeeds are counted from its reading.
CREATE OR REPLACE FUNCTION "strandline"."count_rejects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n)
  SELECT 'rejects', ARRAY[NEW.code], 1 FROM strandline.runs WHERE id = NEW.run_id AND status <> 'succeeded';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_rejects" AFTER INSERT ON "strandline"."rejects"
  FOR EACH ROW WHEN (NOT "strandline"."is_restoring"()) EXECUTE FUNCTION "strandline"."count_rejects"();
--> statement-breakpoint
CREATE VIEW strandline_analytics.derived_until AS
  select s.id as search_id, s.slug as search, t.slug as topic, p.as_of, p.waiting
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  cross join lateral (select min(at) as as_of, count(*) as waiting from strandline.pending_derivations where search_id = s.id) p;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.derived_until IS 'Up to which time volume, coverage, growth, ages, tops, what rises and spikes of a search are derived, one row per search. They are derived a few seconds behind its runs.';
COMMENT ON COLUMN strandline_analytics.derived_until.search_id IS 'Key of the search.';
COMMENT ON COLUMN strandline_analytics.derived_until.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.derived_until.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.derived_until.as_of IS 'When the oldest response was received (UTC) that they do not contain yet; null where they contain all.';
COMMENT ON COLUMN strandline_analytics.derived_until.waiting IS 'Number of responses that they do not contain yet, those that are counted again included.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.13';
