CREATE TABLE "strandline"."claims" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."claims_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"role" text NOT NULL,
	"identity" "bytea" NOT NULL,
	"text" text NOT NULL,
	"first_run_id" bigint NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "claims_identity_key" UNIQUE("search_id","role","identity"),
	CONSTRAINT "claims_role" CHECK ("strandline"."claims"."role" in ('summary', 'microblog_summary', 'discussion_board_summary', 'news_forum_summary'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."completion_claims" (
	"completion_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"claim_id" bigint NOT NULL,
	"link_ids" bigint[] NOT NULL,
	"not_returned" bigint[] NOT NULL,
	"unresolved" integer[] NOT NULL,
	CONSTRAINT "completion_claims_completion_id_position_pk" PRIMARY KEY("completion_id","position")
);
--> statement-breakpoint
ALTER TABLE "strandline"."completions" ADD COLUMN "claims" integer;--> statement-breakpoint
ALTER TABLE "strandline"."claims" ADD CONSTRAINT "claims_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."completion_claims" ADD CONSTRAINT "completion_claims_completion_id_completions_id_fk" FOREIGN KEY ("completion_id") REFERENCES "strandline"."completions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."completion_claims" ADD CONSTRAINT "completion_claims_claim_id_claims_id_fk" FOREIGN KEY ("claim_id") REFERENCES "strandline"."claims"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "claims_seen" ON "strandline"."claims" USING btree ("search_id","first_seen_at");--> statement-breakpoint
CREATE INDEX "claims_first_run" ON "strandline"."claims" USING btree ("first_run_id");--> statement-breakpoint
CREATE INDEX "completion_claims_claim" ON "strandline"."completion_claims" USING btree ("claim_id","completion_id");