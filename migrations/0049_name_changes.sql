CREATE TABLE "strandline"."name_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."name_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"name_id" bigint NOT NULL,
	"name" text NOT NULL,
	"change" text NOT NULL,
	"before" integer NOT NULL,
	"present" integer NOT NULL,
	"missing" integer NOT NULL,
	"sentence" text NOT NULL,
	CONSTRAINT "name_changes_key" UNIQUE("search_id","name_id","run_id"),
	CONSTRAINT "name_changes_change" CHECK ("strandline"."name_changes"."change" in ('entered', 'left'))
);
--> statement-breakpoint
ALTER TABLE "strandline"."rules" DROP CONSTRAINT "rules_kinds";--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" DROP CONSTRAINT "discoveries_kind";--> statement-breakpoint
CREATE INDEX "name_changes_search" ON "strandline"."name_changes" USING btree ("search_id","id");--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike', 'trend', 'answer', 'growth', 'name', 'system']);--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" ADD CONSTRAINT "discoveries_kind" CHECK ("strandline"."discoveries"."kind" in ('post', 'link', 'completion', 'spike', 'trend', 'growth', 'name'));