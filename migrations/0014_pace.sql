-- Adaptive intervals: their due times are apart from searches, whose rows saves lock. All existing searches have fixed schedules.
CREATE TABLE "strandline"."search_pace" (
	"search_id" bigint PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone,
	"interval_seconds" double precision,
	"before_seconds" double precision,
	"reason" text,
	"spent_until" timestamp (3) with time zone,
	"request_version" integer,
	"learned_at" timestamp (3) with time zone,
	"rate" double precision,
	"room" double precision,
	"hour_posts" double precision[],
	"hour_spans" double precision[],
	"seen" double precision,
	"missed" double precision
);
--> statement-breakpoint
ALTER TABLE "strandline"."search_versions" DROP CONSTRAINT "search_versions_schedule";--> statement-breakpoint
ALTER TABLE "strandline"."searches" DROP CONSTRAINT "searches_next_due";--> statement-breakpoint
ALTER TABLE "strandline"."search_versions" ADD COLUMN "auto" text;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "adaptive" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."search_pace" ADD CONSTRAINT "search_pace_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "search_pace_due" ON "strandline"."search_pace" USING btree ("due_at") WHERE "strandline"."search_pace"."due_at" is not null;--> statement-breakpoint
ALTER TABLE "strandline"."search_versions" ADD CONSTRAINT "search_versions_schedule" CHECK (num_nonnulls("strandline"."search_versions"."cron", "strandline"."search_versions"."every_seconds", "strandline"."search_versions"."auto") = 1);--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_next_due" CHECK (("strandline"."searches"."next_due_at" is not null) = ("strandline"."searches"."archived_at" is null and "strandline"."searches"."state" in ('active', 'capped') and not "strandline"."searches"."adaptive"));