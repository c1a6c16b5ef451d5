ALTER TABLE "strandline"."rules" DROP CONSTRAINT "rules_kinds";--> statement-breakpoint
ALTER TABLE "strandline"."completions" ADD COLUMN "news" integer[];--> statement-breakpoint
ALTER TABLE "strandline"."completions" ADD COLUMN "statements_revised" integer;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike', 'trend', 'answer']);