-- Rules of link identity apply to what comes: no stored link is merged into another, and nothing says by which rules links were stored.

-- The view reads `merged_into`. It keeps its owner, its grants and what others built on it; its file is applied afterwards.
DO $$
BEGIN
  IF to_regclass('strandline_analytics.links') IS NOT NULL THEN
    EXECUTE 'CREATE OR REPLACE VIEW strandline_analytics.links AS '
      || regexp_replace(pg_get_viewdef('strandline_analytics.links'::regclass), '\s+WHERE .*$', '');
  END IF;
END $$;
DROP INDEX "strandline"."links_merged";--> statement-breakpoint
ALTER TABLE "strandline"."links" DROP COLUMN "merged_into";--> statement-breakpoint
DELETE FROM strandline.facts WHERE name = 'link_rules';
