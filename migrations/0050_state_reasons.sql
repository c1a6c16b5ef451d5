ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason_name" text;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason_share" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason_share_before" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason_post_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "reason_post_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD COLUMN "why" text;--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD CONSTRAINT "trend_states_reason" CHECK ("strandline"."trend_states"."reason" in ('text', 'author', 'domain', 'hashtag', 'word', 'none', 'service'));