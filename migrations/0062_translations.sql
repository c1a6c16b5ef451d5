CREATE TABLE "strandline"."translations" (
	"kind" text NOT NULL,
	"thing" bigint NOT NULL,
	"language" text NOT NULL,
	"hash" text NOT NULL,
	"text" text,
	"model" text,
	"translated_at" timestamp (3) with time zone,
	"next_at" timestamp (3) with time zone,
	"unusable" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "translations_thing_kind_language_pk" PRIMARY KEY("thing","kind","language"),
	CONSTRAINT "translations_kind" CHECK ("strandline"."translations"."kind" in ('post', 'title', 'snippet', 'claim')),
	CONSTRAINT "translations_done" CHECK (("strandline"."translations"."text" is null) = ("strandline"."translations"."translated_at" is null) and ("strandline"."translations"."text" is null) = ("strandline"."translations"."model" is null)),
	CONSTRAINT "translations_asked" CHECK ("strandline"."translations"."text" is null or "strandline"."translations"."next_at" is null)
);
--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD COLUMN "language" text;--> statement-breakpoint
CREATE INDEX "translations_hash" ON "strandline"."translations" USING btree ("hash","language");--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD CONSTRAINT "topics_language" CHECK (length("strandline"."topics"."language") between 2 and 12);