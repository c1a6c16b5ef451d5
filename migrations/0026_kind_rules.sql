ALTER TABLE "strandline"."deliveries" ADD COLUMN "muted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD COLUMN "muted_topic_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD COLUMN "waits_for" text;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "quiet_hours" text;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "tz" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "max_per_day" integer;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "muted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD COLUMN "muted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD CONSTRAINT "deliveries_waits_for" CHECK ("strandline"."deliveries"."waits_for" in ('cooldown', 'quiet_hours', 'limit', 'mute'));--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD CONSTRAINT "deliveries_muted_topic" CHECK ("strandline"."deliveries"."muted" or "strandline"."deliveries"."muted_topic_id" is null);--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_quiet_hours" CHECK ("strandline"."rules"."quiet_hours" ~ '^[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]$');--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_max_per_day" CHECK ("strandline"."rules"."max_per_day" > 0);