DROP INDEX "strandline"."completions_search";--> statement-breakpoint
CREATE INDEX "completions_search" ON "strandline"."completions" USING btree ("search_id","observed_at","run_id");