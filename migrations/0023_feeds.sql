CREATE TABLE "strandline"."feeds" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."feeds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"name" text NOT NULL,
	"topic_id" bigint,
	"search_id" bigint,
	"query" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_read_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "feeds_prefix_key" UNIQUE("prefix"),
	CONSTRAINT "feeds_scope" CHECK ("strandline"."feeds"."topic_id" is null or "strandline"."feeds"."search_id" is null)
);
