CREATE TABLE "strandline"."topic_sources" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."topic_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"topic_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"address" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"takes_all" boolean DEFAULT false NOT NULL,
	"is_on" boolean NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_by" text NOT NULL,
	"reported_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"entries" integer,
	"newest_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"problem" text,
	CONSTRAINT "topic_sources_address" UNIQUE("topic_id","address"),
	CONSTRAINT "topic_sources_kind" CHECK ("strandline"."topic_sources"."kind" in ('feed', 'site', 'page', 'search', 'service'))
);
--> statement-breakpoint
ALTER TABLE "strandline"."topic_sources" ADD CONSTRAINT "topic_sources_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE cascade ON UPDATE no action;