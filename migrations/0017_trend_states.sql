-- The log of the states of searches; `trend` as a kind of discovery; and spikes of one author, beside which one of many is reported.
-- The constraint of discoveries is NOT VALID, because a check of every row would hold its lock: existing rows met the narrower one, and
-- new ones are checked. VALIDATE would check them under the same lock, which a migration keeps until its end.
CREATE TABLE "strandline"."trend_states" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."trend_states_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"state" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"previous_state" text,
	"previous_since" timestamp (3) with time zone,
	"compared_since" timestamp (3) with time zone,
	"rate_before" double precision,
	"rate" double precision,
	"observed_hours" double precision,
	"expected" double precision,
	"score" double precision,
	"threshold" double precision,
	"days" integer NOT NULL,
	"tz" text NOT NULL,
	"sentence" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "trend_states_key" UNIQUE("search_id","state","since"),
	CONSTRAINT "trend_states_state" CHECK ("strandline"."trend_states"."state" in ('normal', 'rising', 'falling', 'new_level', 'silent')),
	CONSTRAINT "trend_states_previous_state" CHECK ("strandline"."trend_states"."previous_state" in ('normal', 'rising', 'falling', 'new_level', 'silent'))
);

ALTER TABLE "strandline"."spikes" DROP CONSTRAINT "spikes_window_key";
ALTER TABLE "strandline"."rules" DROP CONSTRAINT "rules_kinds";
ALTER TABLE "strandline"."discoveries" DROP CONSTRAINT "discoveries_kind";
ALTER TABLE "strandline"."spikes" ADD COLUMN "only_by" text;
CREATE INDEX "trend_states_search" ON "strandline"."trend_states" USING btree ("search_id","id");
ALTER TABLE "strandline"."spikes" ADD CONSTRAINT "spikes_window_key" UNIQUE NULLS NOT DISTINCT("search_id","measure","window_start","only_by");
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike', 'trend']);
ALTER TABLE "strandline"."discoveries" ADD CONSTRAINT "discoveries_kind" CHECK ("strandline"."discoveries"."kind" in ('post', 'link', 'completion', 'spike', 'trend')) NOT VALID;
ALTER TABLE "strandline"."spikes" ADD CONSTRAINT "spikes_only_by" CHECK ("strandline"."spikes"."only_by" in ('author', 'text'));
