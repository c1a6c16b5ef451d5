-- Exposure beside posts: the observed ranges of each quarter-hour, in milliseconds from its start, in place of whole minutes. A
-- truncated response measures the rate over seconds. The posts of partly observed quarters are counted once, by the index on
-- publication times; `trends rebuild` gives truncated responses of the past the time they measured.
ALTER TABLE strandline.volume
  ADD COLUMN observed int4multirange DEFAULT '{}' NOT NULL,
  ADD COLUMN exposure_ms integer DEFAULT 0 NOT NULL,
  ADD COLUMN exposed_posts integer DEFAULT 0 NOT NULL;
ALTER TABLE strandline.search_days
  ADD COLUMN exposure_ms integer DEFAULT 0 NOT NULL,
  ADD COLUMN exposed_posts integer DEFAULT 0 NOT NULL,
  ADD COLUMN hours integer DEFAULT 0 NOT NULL;

UPDATE strandline.volume SET observed = '{[0,900000)}', exposure_ms = 900000, exposed_posts = posts WHERE bit_count(minutes) = 15;
UPDATE strandline.volume SET exposure_ms = bit_count(minutes) * 60000, observed = (
  SELECT range_agg(int4range(m * 60000, (m + 1) * 60000)) FROM generate_series(0, 14) m WHERE get_bit(minutes, m) = 1
) WHERE bit_count(minutes) BETWEEN 1 AND 14;
UPDATE strandline.volume v SET exposed_posts = (
  SELECT count(*) FROM strandline.post_sightings g
  WHERE g.search_id = v.search_id AND coalesce(g.post_created_at, g.first_seen_at) >= v.bucket_at
    AND coalesce(g.post_created_at, g.first_seen_at) < v.bucket_at + interval '75 minutes'
    AND g.post_created_at IS NOT NULL AND least(g.post_created_at, g.first_seen_at) < v.bucket_at + interval '15 minutes'
    AND (floor(extract(epoch FROM least(g.post_created_at, g.first_seen_at)) * 1000)::bigint % 900000)::integer <@ v.observed
) WHERE v.posts > 0 AND v.exposure_ms BETWEEN 1 AND 899999;
UPDATE strandline.search_days d SET exposure_ms = v.exposure_ms, exposed_posts = v.exposed_posts, hours = v.hours
FROM (
  SELECT search_id, date_trunc('day', bucket_at, 'UTC') AS day_at, sum(exposure_ms) AS exposure_ms, sum(exposed_posts) AS exposed_posts,
    count(DISTINCT date_bin('1 hour', bucket_at, 'epoch')) FILTER (WHERE exposure_ms > 0) AS hours
  FROM strandline.volume GROUP BY 1, 2
) v
WHERE v.search_id = d.search_id AND v.day_at = d.day_at;

-- Our views of the minutes become empty ones with the same columns, until they are replaced at the end of this migration: so they keep
-- their grants, and what depends on them.
DO $$
DECLARE
  view record;
BEGIN
  FOR view IN
    SELECT DISTINCT r.ev_class::regclass AS name, (
      SELECT string_agg(format('NULL::%s AS %I', format_type(a.atttypid, a.atttypmod), a.attname), ', ' ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = r.ev_class AND a.attnum > 0 AND NOT a.attisdropped
    ) AS columns
    FROM pg_depend d
    JOIN pg_rewrite r ON r.oid = d.objid
    JOIN pg_class c ON c.oid = r.ev_class
    JOIN pg_attribute m ON m.attrelid = d.refobjid AND m.attnum = d.refobjsubid AND m.attname = 'minutes'
    WHERE d.classid = 'pg_rewrite'::regclass AND c.relkind = 'v' AND c.relnamespace::regnamespace::text LIKE 'strandline\_analytics%'
      AND d.refobjid IN ('strandline.volume'::regclass, 'strandline.search_days'::regclass)
  LOOP
    EXECUTE format('CREATE OR REPLACE VIEW %s AS SELECT %s', view.name, view.columns);
  END LOOP;
END $$;
ALTER TABLE strandline.volume DROP COLUMN minutes;
ALTER TABLE strandline.search_days DROP COLUMN minutes;

-- A spike names its loudest author.
ALTER TABLE strandline.spikes ADD COLUMN top_author_id bigint, ADD COLUMN author_share double precision;
ALTER TABLE strandline.spikes ADD CONSTRAINT spikes_author CHECK ((top_author_id is null) = (author_share is null));
