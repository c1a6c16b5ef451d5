ALTER TABLE "strandline"."searches" ADD COLUMN "paused_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "topic_paused_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "all_paused_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "pause_ends_at" timestamp (3) with time zone GENERATED ALWAYS AS (greatest(paused_until, topic_paused_until, all_paused_until)) STORED;--> statement-breakpoint
CREATE INDEX "searches_pause_ends" ON "strandline"."searches" USING btree ("pause_ends_at") WHERE "strandline"."searches"."pause_ends_at" is not null;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_pause" CHECK ("strandline"."searches"."pause_ends_at" is null or "strandline"."searches"."state" = 'paused');