ALTER TABLE "strandline"."channels" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "strandline"."topic_sources" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD COLUMN "owner" text;