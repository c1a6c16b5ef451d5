-- What is counted has the kind of its service, or the side of the rule, as its last label; of histograms, the bound stays the
-- last. Earlier counts have an empty one: they add up both sides.
UPDATE strandline.counts SET labels = CASE name WHEN 'save' THEN array_prepend('', labels) ELSE array_append(labels, '') END
WHERE name IN ('save', 'save_sum', 'items_seen', 'run_tools', 'rejects', 'discoveries', 'deliveries');
--> statement-breakpoint
UPDATE strandline.count_increments SET labels = CASE name WHEN 'save' THEN array_prepend('', labels) ELSE array_append(labels, '') END
WHERE name IN ('save', 'save_sum', 'items_seen', 'run_tools', 'rejects', 'discoveries', 'deliveries');
--> statement-breakpoint
CREATE OR REPLACE FUNCTION strandline.count_rejects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n)
  SELECT 'rejects', ARRAY[NEW.code, strandline.kind_of_search(search_id)], 1
  FROM strandline.runs WHERE id = NEW.run_id AND status <> 'succeeded';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION strandline.count_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  simulated boolean := (SELECT coalesce(t.simulated, s.simulated, false) FROM strandline.rules r
    LEFT JOIN strandline.topics t ON t.id = r.topic_id LEFT JOIN strandline.searches s ON s.id = r.search_id WHERE r.id = NEW.rule_id);
BEGIN
  INSERT INTO strandline.count_increments (name, labels, n)
  VALUES ('deliveries', ARRAY[NEW.state, CASE WHEN simulated THEN 'simulated' ELSE 'real' END], 1);
  RETURN NULL;
END $$;
