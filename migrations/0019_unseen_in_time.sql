CREATE INDEX "unseen_search" ON "strandline"."unseen" USING btree ("search_id","last_seen_at");--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_engagement IS 'Likes, reposts, replies and quotes gained, together, as far as they are known; null where none is known twice.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.3';
