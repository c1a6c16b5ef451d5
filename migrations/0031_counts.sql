CREATE TABLE "strandline"."count_steps" (
	"name" text NOT NULL,
	"labels" text[] NOT NULL,
	"n" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."counts" (
	"name" text NOT NULL,
	"labels" text[] NOT NULL,
	"n" double precision NOT NULL,
	CONSTRAINT "counts_name_labels_pk" PRIMARY KEY("name","labels")
);

--> statement-breakpoint
-- Rows that are loaded from a backup happened long ago: whoever loads them says so.
CREATE FUNCTION "strandline"."is_restoring"() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('strandline.restoring', true) IS NOT DISTINCT FROM 'on'
$$;
--> statement-breakpoint
-- The first bound that a value does not exceed, as a label of a histogram.
CREATE FUNCTION "strandline"."bucket_of"("value" double precision, "bounds" double precision[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce((SELECT min(b)::text FROM unnest(bounds) b WHERE value <= b), '+Inf')
$$;
--> statement-breakpoint
CREATE FUNCTION "strandline"."kind_of_search"("search_id" bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT v.kind FROM strandline.searches s JOIN strandline.services v ON v.id = s.service_id WHERE s.id = $1
$$;
--> statement-breakpoint
-- A run begins: how long after its slot.
CREATE FUNCTION "strandline"."count_run_start"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  late double precision := greatest(0, extract(epoch FROM NEW.started_at - NEW.slot_at));
  kind text := strandline.kind_of_search(NEW.search_id);
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n) VALUES
    ('run_lateness', ARRAY[kind, strandline.bucket_of(late, '{0.5,1,2,5,10,30,60,300,900,3600}')], 1),
    ('run_lateness_sum', ARRAY[kind], late);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_run_start" AFTER UPDATE OF "started_at" ON "strandline"."runs"
  FOR EACH ROW WHEN (OLD.started_at IS NULL AND NEW.started_at IS NOT NULL AND NEW.slot_at IS NOT NULL)
  EXECUTE FUNCTION "strandline"."count_run_start"();
--> statement-breakpoint
-- A run ends. Asked at the commit: by then it is known how long its save took.
CREATE FUNCTION "strandline"."count_run_end"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  took double precision := extract(epoch FROM clock_timestamp() - transaction_timestamp());
  code text := coalesce(CASE NEW.status WHEN 'failed' THEN NEW.code WHEN 'cancelled' THEN NEW.reason END, '');
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n)
  VALUES ('runs', ARRAY[strandline.kind_of_search(NEW.search_id), NEW.status, code], 1);
  IF NEW.status = 'succeeded' THEN
    INSERT INTO strandline.count_steps (name, labels, n) VALUES
      ('items_seen', '{}', coalesce(NEW.items_seen, 0)),
      ('save', ARRAY[strandline.bucket_of(took, '{0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10}')], 1),
      ('save_sum', '{}', took);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "count_run_end" AFTER UPDATE ON "strandline"."runs" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IN ('queued', 'running') AND NEW.status NOT IN ('queued', 'running'))
  EXECUTE FUNCTION "strandline"."count_run_end"();
--> statement-breakpoint
-- Slots that are not run end as they are written; a span of them is one row.
CREATE FUNCTION "strandline"."count_skipped_runs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strandline.is_restoring() THEN RETURN NULL; END IF;
  INSERT INTO strandline.count_steps (name, labels, n)
  SELECT 'runs', ARRAY[strandline.kind_of_search(a.search_id), a.status, a.reason], sum(coalesce(a.span_slots, 1))
  FROM added a WHERE a.status = 'skipped' GROUP BY a.search_id, a.status, a.reason;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_skipped_runs" AFTER INSERT ON "strandline"."runs" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "strandline"."count_skipped_runs"();
--> statement-breakpoint
-- What became of a call, and what it cost; one that was given up may be told of later.
CREATE FUNCTION "strandline"."count_call"() RETURNS trigger LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE TRIGGER "count_call" AFTER UPDATE OF "state" ON "strandline"."calls"
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION "strandline"."count_call"('run');
--> statement-breakpoint
CREATE TRIGGER "count_call" AFTER UPDATE OF "state" ON "strandline"."trials"
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION "strandline"."count_call"('trial');
--> statement-breakpoint
CREATE FUNCTION "strandline"."count_rejects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strandline.is_restoring() THEN RETURN NULL; END IF;
  INSERT INTO strandline.count_steps (name, labels, n) SELECT 'rejects', ARRAY[a.code], count(*) FROM added a GROUP BY a.code;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_rejects" AFTER INSERT ON "strandline"."rejects" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "strandline"."count_rejects"();
--> statement-breakpoint
CREATE FUNCTION "strandline"."count_discoveries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strandline.is_restoring() THEN RETURN NULL; END IF;
  INSERT INTO strandline.count_steps (name, labels, n)
  SELECT 'discoveries', ARRAY[a.kind, a.baseline::text], count(*) FROM added a GROUP BY a.kind, a.baseline;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_discoveries" AFTER INSERT ON "strandline"."discoveries" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "strandline"."count_discoveries"();
--> statement-breakpoint
CREATE FUNCTION "strandline"."count_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_steps (name, labels, n) VALUES ('deliveries', ARRAY[NEW.state], 1);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_delivery" AFTER UPDATE OF "state" ON "strandline"."deliveries"
  FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state IN ('delivered', 'dead', 'cancelled'))
  EXECUTE FUNCTION "strandline"."count_delivery"();
