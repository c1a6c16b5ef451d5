CREATE TABLE "strandline"."pending_derivations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."pending_derivations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"posts" integer,
	"every_seconds" integer,
	"new_posts" bigint[] NOT NULL,
	"new_links" bigint[] NOT NULL,
	"changed_posts" bigint[] NOT NULL,
	"touched_posts" bigint[] NOT NULL,
	"touched_links" bigint[] NOT NULL,
	"checked" boolean NOT NULL,
	"notify" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "strandline"."run_results" ADD COLUMN "observed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "pending_derivations_search" ON "strandline"."pending_derivations" USING btree ("search_id","at");--> statement-breakpoint
CREATE INDEX "pending_derivations_at" ON "strandline"."pending_derivations" USING btree ("at");