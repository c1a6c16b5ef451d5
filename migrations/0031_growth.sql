CREATE TABLE "strandline"."growth_reports" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."growth_reports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"post_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"condition" text NOT NULL,
	"value" double precision NOT NULL,
	"age_hours" double precision,
	"usual" double precision,
	"compared_with" integer,
	"sentence" text NOT NULL,
	CONSTRAINT "growth_reports_key" UNIQUE("search_id","post_id","condition")
);
--> statement-breakpoint
ALTER TABLE "strandline"."rules" DROP CONSTRAINT "rules_kinds";--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" DROP CONSTRAINT "discoveries_kind";--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "growth" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "growth_reports_post" ON "strandline"."growth_reports" USING btree ("post_id","condition");--> statement-breakpoint
CREATE INDEX "rules_growth" ON "strandline"."rules" USING btree ("id") WHERE 'growth' = any("strandline"."rules"."kinds") and "strandline"."rules"."archived_at" is null;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike', 'trend', 'answer', 'growth', 'system']);--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" ADD CONSTRAINT "discoveries_kind" CHECK ("strandline"."discoveries"."kind" in ('post', 'link', 'completion', 'spike', 'trend', 'growth'));