CREATE TABLE "strandline"."brief_sources" (
	"brief_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"thing" bigint NOT NULL,
	"search_id" bigint NOT NULL,
	CONSTRAINT "brief_sources_brief_id_kind_thing_pk" PRIMARY KEY("brief_id","kind","thing"),
	CONSTRAINT "brief_sources_kind" CHECK ("strandline"."brief_sources"."kind" in ('post', 'link', 'spike', 'claim'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."briefs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."briefs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"digest_id" bigint,
	"spike_id" bigint,
	"search_id" bigint,
	"topic_id" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone,
	"evidence" text,
	"content" jsonb,
	"written_at" timestamp (3) with time zone,
	CONSTRAINT "briefs_digest" UNIQUE("digest_id"),
	CONSTRAINT "briefs_spike" UNIQUE("spike_id"),
	CONSTRAINT "briefs_kind" CHECK (case "strandline"."briefs"."kind" when 'digest' then "strandline"."briefs"."digest_id" is not null and "strandline"."briefs"."spike_id" is null and "strandline"."briefs"."topic_id" is null
        when 'spike' then "strandline"."briefs"."spike_id" is not null and "strandline"."briefs"."search_id" is not null and "strandline"."briefs"."topic_id" is not null and "strandline"."briefs"."digest_id" is null
        when 'topic' then "strandline"."briefs"."topic_id" is not null and "strandline"."briefs"."spike_id" is null and "strandline"."briefs"."digest_id" is null else false end),
	CONSTRAINT "briefs_written" CHECK (("strandline"."briefs"."content" is null) = ("strandline"."briefs"."written_at" is null))
);
--> statement-breakpoint
ALTER TABLE "strandline"."brief_sources" ADD CONSTRAINT "brief_sources_brief_id_briefs_id_fk" FOREIGN KEY ("brief_id") REFERENCES "strandline"."briefs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "brief_sources_thing" ON "strandline"."brief_sources" USING btree ("thing","kind");--> statement-breakpoint
CREATE INDEX "brief_sources_search" ON "strandline"."brief_sources" USING btree ("search_id");--> statement-breakpoint
CREATE INDEX "briefs_topic" ON "strandline"."briefs" USING btree ("topic_id","written_at");--> statement-breakpoint
CREATE UNIQUE INDEX "briefs_one_of_topic" ON "strandline"."briefs" USING btree ("topic_id") WHERE "strandline"."briefs"."kind" = 'topic';--> statement-breakpoint
CREATE INDEX "briefs_search" ON "strandline"."briefs" USING btree ("search_id");--> statement-breakpoint
CREATE INDEX "briefs_waiting" ON "strandline"."briefs" USING btree ("next_at") WHERE "strandline"."briefs"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "spikes_at" ON "strandline"."spikes" USING btree ("at");