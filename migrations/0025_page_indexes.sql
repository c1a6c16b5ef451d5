CREATE INDEX "completions_cited" ON "strandline"."completions" USING gin ("completion_links");--> statement-breakpoint
CREATE INDEX "posts_urls" ON "strandline"."posts" USING gin ("urls") WHERE "strandline"."posts"."urls" <> '{}';--> statement-breakpoint
CREATE INDEX "runs_created" ON "strandline"."runs" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "runs_amiss" ON "strandline"."runs" USING btree ("status","id") WHERE "strandline"."runs"."status" in ('failed', 'skipped', 'cancelled');