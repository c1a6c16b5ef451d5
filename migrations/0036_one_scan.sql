CREATE TABLE "strandline"."call_minutes" (
	"service_id" bigint PRIMARY KEY NOT NULL,
	"sent_at" timestamp (3) with time zone[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."idempotency_keys" (
	"visitor" text NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"fence" integer DEFAULT 1 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"committed" text,
	"status" integer,
	"reply" text,
	CONSTRAINT "idempotency_keys_visitor_route_key_pk" PRIMARY KEY("visitor","route","key"),
	CONSTRAINT "idempotency_keys_state" CHECK (("strandline"."idempotency_keys"."status" is null) = ("strandline"."idempotency_keys"."lease_until" is not null))
);
--> statement-breakpoint
CREATE TABLE "strandline"."recurring_work" (
	"name" text PRIMARY KEY NOT NULL,
	"next_due_at" timestamp (3) with time zone NOT NULL,
	"last_ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "strandline"."scanner" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"scanned_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "scanner_one" CHECK ("strandline"."scanner"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" ADD COLUMN "late" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."answers" ADD COLUMN "read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."answers" ADD COLUMN "read_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."answers" ADD COLUMN "next_read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."calls" ADD COLUMN "refunded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."runs" ADD COLUMN "offer_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."runs" ADD COLUMN "lease_extended" integer;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "simulation" text;--> statement-breakpoint
ALTER TABLE "strandline"."trials" ADD COLUMN "refunded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."workers" ADD COLUMN "spooled" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."call_minutes" ADD CONSTRAINT "call_minutes_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "answers_unread" ON "strandline"."answers" USING btree ("run_id") WHERE "strandline"."answers"."read_at" is null;--> statement-breakpoint
CREATE INDEX "runs_offer" ON "strandline"."runs" USING btree ("offer_at") WHERE "strandline"."runs"."offer_at" is not null;--> statement-breakpoint
-- Rows of slots that no clock but a wrong one had reached are taken out; runs that were made for one keep what they found,
-- and no longer stand for a slot. A little skew between two clocks is the later of both times.
DELETE FROM "strandline"."runs" WHERE "status" = 'skipped' AND "slot_at" > clock_timestamp();--> statement-breakpoint
UPDATE "strandline"."runs" SET "slot_at" = NULL WHERE "slot_at" > clock_timestamp();--> statement-breakpoint
UPDATE "strandline"."runs" SET "created_at" = greatest("created_at", "slot_at", "span_until")
WHERE "slot_at" > "created_at" OR "span_until" > "created_at";--> statement-breakpoint
ALTER TABLE "strandline"."runs" ADD CONSTRAINT "runs_slot_reached" CHECK ("strandline"."runs"."slot_at" <= "strandline"."runs"."created_at" and "strandline"."runs"."span_until" <= "strandline"."runs"."created_at");--> statement-breakpoint
-- Searches are due now: the first scan gives each its next slot, whatever a wrong clock or a hand had written there.
UPDATE "strandline"."searches" SET "next_due_at" = CASE WHEN "archived_at" IS NULL AND "state" IN ('active', 'capped')
  THEN least("next_due_at", date_trunc('milliseconds', clock_timestamp())) END;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_next_due" CHECK (("strandline"."searches"."next_due_at" is not null) = ("strandline"."searches"."archived_at" is null and "strandline"."searches"."state" in ('active', 'capped')));--> statement-breakpoint
INSERT INTO "strandline"."scanner" ("scanned_at") VALUES (date_trunc('milliseconds', clock_timestamp()) - interval '1 minute');--> statement-breakpoint
-- What waits is offered by the first scan.
UPDATE "strandline"."runs" SET "offer_at" = coalesce("not_before", "created_at") WHERE "status" = 'queued';--> statement-breakpoint
-- Until now the newest response of a run was read and no other; those that came late are read from here on.
UPDATE "strandline"."answers" a SET "read_at" = a."received_at" FROM "strandline"."runs" r
WHERE r."id" = a."run_id" AND a."n" = (SELECT max(b."n") FROM "strandline"."answers" b WHERE b."run_id" = a."run_id")
  AND (r."status" = 'succeeded' OR (r."status" = 'failed' AND r."code" IN ('bad_json', 'schema_mismatch', 'sources_down', 'decode_error', 'stream_incomplete', 'too_large', 'bad_content_type')));
