-- Simulated data has a database of its own, in which the sample and the demo are made again. What simulated searches, the sandbox's
-- service and their links left here is deleted: rows that others refer to last. 460,000 rows take some ten seconds.
DO $$
DECLARE
  views text;
BEGIN
  SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ') INTO views
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'strandline_analytics_simulated' AND c.relkind = 'v';
  IF views IS NOT NULL THEN EXECUTE 'DROP VIEW ' || views; END IF;
  DROP FUNCTION IF EXISTS strandline_analytics_simulated.engagement(anyelement, anyelement, anyelement, anyelement);
  DROP SCHEMA IF EXISTS strandline_analytics_simulated;
EXCEPTION WHEN dependent_objects_still_exist THEN
  RAISE EXCEPTION 'Objects that strandline did not create depend on the schema strandline_analytics_simulated, which this version replaces by a database of its own. Nothing was changed. Drop them, run strandline migrate again, and re-create them in the database of the sandbox.';
END $$;
--> statement-breakpoint
CREATE UNLOGGED TABLE strandline.gone_searches AS SELECT id FROM strandline.searches WHERE simulated;
CREATE UNLOGGED TABLE strandline.gone_topics AS SELECT id FROM strandline.topics WHERE simulated;
CREATE UNLOGGED TABLE strandline.gone_services AS SELECT id FROM strandline.services WHERE simulated;
CREATE UNLOGGED TABLE strandline.gone_runs AS SELECT id FROM strandline.runs WHERE search_id IN (SELECT id FROM strandline.gone_searches);
CREATE UNLOGGED TABLE strandline.gone_posts AS SELECT id FROM strandline.posts WHERE service_id IN (SELECT id FROM strandline.gone_services);
CREATE UNLOGGED TABLE strandline.gone_authors AS SELECT id FROM strandline.authors WHERE service_id IN (SELECT id FROM strandline.gone_services);
CREATE UNLOGGED TABLE strandline.gone_links AS SELECT id FROM strandline.links WHERE simulated;
CREATE UNLOGGED TABLE strandline.gone_completions AS SELECT id FROM strandline.completions WHERE search_id IN (SELECT id FROM strandline.gone_searches);
CREATE UNLOGGED TABLE strandline.gone_discoveries AS SELECT id FROM strandline.discoveries WHERE search_id IN (SELECT id FROM strandline.gone_searches);
CREATE UNLOGGED TABLE strandline.gone_rules AS SELECT id FROM strandline.rules WHERE topic_id IN (SELECT id FROM strandline.gone_topics) OR search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
ANALYZE strandline.gone_searches, strandline.gone_topics, strandline.gone_services, strandline.gone_runs, strandline.gone_posts, strandline.gone_authors, strandline.gone_links, strandline.gone_completions, strandline.gone_discoveries, strandline.gone_rules;
--> statement-breakpoint
DELETE FROM strandline.delivery_discoveries WHERE rule_id IN (SELECT id FROM strandline.gone_rules) OR discovery_id IN (SELECT id FROM strandline.gone_discoveries);
--> statement-breakpoint
DELETE FROM strandline.deliveries WHERE rule_id IN (SELECT id FROM strandline.gone_rules);
--> statement-breakpoint
DELETE FROM strandline.rule_channels WHERE rule_id IN (SELECT id FROM strandline.gone_rules);
--> statement-breakpoint
DELETE FROM strandline.rules WHERE id IN (SELECT id FROM strandline.gone_rules);
--> statement-breakpoint
DELETE FROM strandline.discoveries WHERE id IN (SELECT id FROM strandline.gone_discoveries);
--> statement-breakpoint
DELETE FROM strandline.completion_claims WHERE completion_id IN (SELECT id FROM strandline.gone_completions);
--> statement-breakpoint
DELETE FROM strandline.claims WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.key_items WHERE completion_id IN (SELECT id FROM strandline.gone_completions);
--> statement-breakpoint
DELETE FROM strandline.completions WHERE id IN (SELECT id FROM strandline.gone_completions);
--> statement-breakpoint
DELETE FROM strandline.post_sightings WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.link_sightings WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.post_counters_at_age WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.dropped_posts WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_rising WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_tops WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_typical WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_days WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_gains WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.volume WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.spikes WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.trend_states WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.interval_changes WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_pace WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.search_states WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.pending_derivations WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.latest_results WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.coverage WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.run_gains WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.run_tools WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.post_links WHERE post_id IN (SELECT id FROM strandline.gone_posts) OR link_id IN (SELECT id FROM strandline.gone_links);
--> statement-breakpoint
DELETE FROM strandline.post_counters WHERE post_id IN (SELECT id FROM strandline.gone_posts);
--> statement-breakpoint
DELETE FROM strandline.post_gains WHERE post_id IN (SELECT id FROM strandline.gone_posts);
--> statement-breakpoint
DELETE FROM strandline.post_snapshots WHERE post_id IN (SELECT id FROM strandline.gone_posts);
--> statement-breakpoint
DELETE FROM strandline.post_versions WHERE post_id IN (SELECT id FROM strandline.gone_posts);
--> statement-breakpoint
DELETE FROM strandline.posts WHERE id IN (SELECT id FROM strandline.gone_posts);
--> statement-breakpoint
DELETE FROM strandline.author_counters WHERE author_id IN (SELECT id FROM strandline.gone_authors);
--> statement-breakpoint
DELETE FROM strandline.author_snapshots WHERE author_id IN (SELECT id FROM strandline.gone_authors);
--> statement-breakpoint
DELETE FROM strandline.author_versions WHERE author_id IN (SELECT id FROM strandline.gone_authors);
--> statement-breakpoint
DELETE FROM strandline.authors WHERE id IN (SELECT id FROM strandline.gone_authors);
--> statement-breakpoint
DELETE FROM strandline.topic_items WHERE topic_id IN (SELECT id FROM strandline.gone_topics);
--> statement-breakpoint
DELETE FROM strandline.link_addresses WHERE link_id IN (SELECT id FROM strandline.gone_links);
--> statement-breakpoint
DELETE FROM strandline.links WHERE id IN (SELECT id FROM strandline.gone_links);
--> statement-breakpoint
DELETE FROM strandline.run_results WHERE run_id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.observed_items WHERE run_id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.rejects WHERE run_id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.responses WHERE run_id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.calls WHERE run_id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.runs WHERE id IN (SELECT id FROM strandline.gone_runs);
--> statement-breakpoint
DELETE FROM strandline.search_versions WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.former_slugs WHERE search_id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.former_slugs WHERE topic_id IN (SELECT id FROM strandline.gone_topics);
--> statement-breakpoint
DELETE FROM strandline.searches WHERE id IN (SELECT id FROM strandline.gone_searches);
--> statement-breakpoint
DELETE FROM strandline.topics WHERE id IN (SELECT id FROM strandline.gone_topics);
--> statement-breakpoint
DELETE FROM strandline.trials WHERE service_id IN (SELECT id FROM strandline.gone_services);
--> statement-breakpoint
DELETE FROM strandline.call_days WHERE service_id IN (SELECT id FROM strandline.gone_services);
--> statement-breakpoint
DELETE FROM strandline.call_minutes WHERE service_id IN (SELECT id FROM strandline.gone_services);
--> statement-breakpoint
DELETE FROM strandline.services WHERE id IN (SELECT id FROM strandline.gone_services);
--> statement-breakpoint
DELETE FROM strandline.archive_documents WHERE sandbox;
--> statement-breakpoint
DELETE FROM strandline.archive_lexemes WHERE sandbox;
--> statement-breakpoint
DELETE FROM strandline.archive_corpora WHERE sandbox;
--> statement-breakpoint
DELETE FROM strandline.archive_changes WHERE kind = 'post' AND thing IN (SELECT id FROM strandline.gone_posts) OR kind = 'link' AND thing IN (SELECT id FROM strandline.gone_links);
--> statement-breakpoint
DELETE FROM strandline.facts WHERE name IN ('sample_topic', 'sample_paused');
--> statement-breakpoint
-- A metric had the kind of its service, or the side of the rule, as a label.
DELETE FROM strandline.counts WHERE 'sandbox' = ANY (labels) OR name = 'deliveries' AND labels[2] = 'simulated';
--> statement-breakpoint
DELETE FROM strandline.count_increments WHERE 'sandbox' = ANY (labels) OR name = 'deliveries' AND labels[2] = 'simulated';
--> statement-breakpoint
WITH counted AS (DELETE FROM strandline.counts WHERE name = 'deliveries' RETURNING labels[1:1] AS labels, n)
INSERT INTO strandline.counts (name, labels, n) SELECT 'deliveries', labels, sum(n) FROM counted GROUP BY labels;
--> statement-breakpoint
UPDATE strandline.count_increments SET labels = labels[1:1] WHERE name = 'deliveries';
--> statement-breakpoint
DROP TABLE strandline.gone_searches, strandline.gone_topics, strandline.gone_services, strandline.gone_runs, strandline.gone_posts, strandline.gone_authors, strandline.gone_links, strandline.gone_completions, strandline.gone_discoveries, strandline.gone_rules;
--> statement-breakpoint
-- The kind of the database; migrate sets it. A restored one has that of its backup.
INSERT INTO strandline.facts (name, value, at)
SELECT 'kind', coalesce(nullif(current_setting('strandline.kind', true), ''), 'real'), clock_timestamp()
WHERE current_setting('strandline.restoring', true) IS DISTINCT FROM 'on';
--> statement-breakpoint
CREATE OR REPLACE FUNCTION strandline.count_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n) VALUES ('deliveries', ARRAY[NEW.state], 1);
  RETURN NULL;
END $$;
--> statement-breakpoint
ALTER TABLE "strandline"."searches" DROP CONSTRAINT "searches_topic_fk";
--> statement-breakpoint
ALTER TABLE "strandline"."searches" DROP CONSTRAINT "searches_service_fk";
--> statement-breakpoint
ALTER TABLE "strandline"."links" DROP CONSTRAINT "links_canonical_key";
--> statement-breakpoint
ALTER TABLE "strandline"."services" DROP CONSTRAINT "services_simulated_key";
--> statement-breakpoint
ALTER TABLE "strandline"."topics" DROP CONSTRAINT "topics_simulated_key";
--> statement-breakpoint
ALTER TABLE "strandline"."archive_corpora" DROP CONSTRAINT "archive_corpora_sandbox_config_pk";
--> statement-breakpoint
ALTER TABLE "strandline"."archive_lexemes" DROP CONSTRAINT "archive_lexemes_lexeme_sandbox_pk";
--> statement-breakpoint
ALTER TABLE "strandline"."link_addresses" DROP CONSTRAINT "link_addresses_address_simulated_pk";
--> statement-breakpoint
ALTER TABLE "strandline"."archive_corpora" ADD PRIMARY KEY ("config");
--> statement-breakpoint
ALTER TABLE "strandline"."archive_lexemes" ADD PRIMARY KEY ("lexeme");
--> statement-breakpoint
ALTER TABLE "strandline"."link_addresses" ADD PRIMARY KEY ("address");
--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "strandline"."links" ADD CONSTRAINT "links_canonical_key" UNIQUE("canonical");
--> statement-breakpoint
-- after views: they no longer read these columns.
ALTER TABLE "strandline"."archive_corpora" DROP COLUMN "sandbox";
--> statement-breakpoint
ALTER TABLE "strandline"."archive_documents" DROP COLUMN "sandbox";
--> statement-breakpoint
ALTER TABLE "strandline"."archive_lexemes" DROP COLUMN "sandbox";
--> statement-breakpoint
ALTER TABLE "strandline"."link_addresses" DROP COLUMN "simulated";
--> statement-breakpoint
ALTER TABLE "strandline"."links" DROP COLUMN "simulated";
--> statement-breakpoint
ALTER TABLE "strandline"."searches" DROP COLUMN "simulated";
--> statement-breakpoint
ALTER TABLE "strandline"."services" DROP COLUMN "simulated";
--> statement-breakpoint
ALTER TABLE "strandline"."topics" DROP COLUMN "simulated";
