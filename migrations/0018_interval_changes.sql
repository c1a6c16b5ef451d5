-- The log of changes of adaptive intervals; what `search_pace` knows of the last change becomes its first row.
CREATE TABLE "strandline"."interval_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."interval_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"seconds_before" double precision,
	"seconds" double precision NOT NULL,
	"reason" text NOT NULL,
	"per_hour" double precision,
	"room" double precision,
	"new_items" integer,
	"waited_seconds" double precision,
	"calls_per_day" integer,
	CONSTRAINT "interval_changes_reason" CHECK ("strandline"."interval_changes"."reason" in ('learning', 'rate', 'truncated', 'quiet', 'found', 'least', 'most', 'budget'))
);
--> statement-breakpoint
CREATE INDEX "interval_changes_search" ON "strandline"."interval_changes" USING btree ("search_id","id");--> statement-breakpoint
INSERT INTO "strandline"."interval_changes" ("search_id", "at", "seconds_before", "seconds", "reason")
SELECT "search_id", "learned_at", "before_seconds", "interval_seconds", "reason" FROM "strandline"."search_pace"
WHERE "interval_seconds" IS NOT NULL AND "reason" IS NOT NULL AND "learned_at" IS NOT NULL ORDER BY "learned_at";--> statement-breakpoint
ALTER TABLE "strandline"."search_pace" DROP COLUMN "before_seconds";--> statement-breakpoint
ALTER TABLE "strandline"."search_pace" DROP COLUMN "reason";