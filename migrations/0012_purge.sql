-- A purge deletes in batches, so what remains to be deleted is marked. New columns without a default: a short exclusive lock,
-- no rewrite.
ALTER TABLE strandline.searches ADD COLUMN purged_at timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE strandline.topics
  ADD COLUMN successor_id bigint,
  ADD COLUMN purged_at timestamp (3) with time zone,
  ADD CONSTRAINT topics_successor_id_topics_id_fk FOREIGN KEY (successor_id) REFERENCES strandline.topics (id) ON DELETE SET NULL;
