-- Snapshots have a table a month, which the program makes and drops while it runs: for a role that owns no table
-- (DATABASE_APP_ROLE) the owner's functions do it. They name what they touch themselves.
ALTER FUNCTION strandline.ensure_snapshot_partitions(timestamptz, timestamptz) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION strandline.ensure_snapshot_partitions(timestamptz, timestamptz) FROM PUBLIC;--> statement-breakpoint
-- In a function no partition can be taken out CONCURRENTLY: it gives up before anybody who saves waits for long.
CREATE FUNCTION strandline.drop_snapshot_month(child text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
BEGIN
  IF child !~ '^(post|author)_snapshots_\d{4}_\d\d$' THEN
    RAISE EXCEPTION '% is no month of snapshots', child USING ERRCODE = '22023';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS strandline.%I', child);
END
$$;--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION strandline.drop_snapshot_month(text) FROM PUBLIC;
