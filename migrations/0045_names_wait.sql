ALTER TABLE "strandline"."search_days" ADD COLUMN "named_posts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."search_days" ADD COLUMN "names_wait_since" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "search_days_names" ON "strandline"."search_days" USING btree ("names_wait_since") WHERE "strandline"."search_days"."names_wait_since" is not null;