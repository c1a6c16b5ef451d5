ALTER TABLE "strandline"."spikes" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "reason_name" text;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "reason_share" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "reason_share_before" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "reason_post_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "reason_post_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "n_without_reason" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "window_authors" integer;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "distinct_names" jsonb;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "why" text;--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD CONSTRAINT "spikes_reason" CHECK ("strandline"."spikes"."reason" in ('text', 'author', 'domain', 'hashtag', 'word', 'none'));