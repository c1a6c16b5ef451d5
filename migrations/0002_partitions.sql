-- Snapshots live in one partition per month (UTC), named by it: dropping a month is then dropping a table.
-- Made ahead of need under one lock, by attaching, so that readers and writers of other months go on.
CREATE FUNCTION strandline.ensure_snapshot_partitions(from_month timestamptz, to_month timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
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
