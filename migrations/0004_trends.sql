CREATE TABLE "strandline"."coverage" (
	"run_id" bigint PRIMARY KEY NOT NULL,
	"search_id" bigint NOT NULL,
	"request_version" integer NOT NULL,
	"observed_until" timestamp (3) with time zone NOT NULL,
	"observed_from" timestamp (3) with time zone NOT NULL,
	"reached_from" timestamp (3) with time zone NOT NULL,
	"every_seconds" integer NOT NULL,
	"posts" integer NOT NULL,
	"most_posts" integer NOT NULL,
	CONSTRAINT "coverage_order" CHECK ("strandline"."coverage"."reached_from" <= "strandline"."coverage"."observed_from" and "strandline"."coverage"."observed_from" <= "strandline"."coverage"."observed_until")
);
--> statement-breakpoint
CREATE TABLE "strandline"."spikes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."spikes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"measure" text NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"window_end" timestamp (3) with time zone NOT NULL,
	"n" double precision NOT NULL,
	"lower_bound" boolean NOT NULL,
	"coverage" double precision NOT NULL,
	"mean" double precision NOT NULL,
	"sd" double precision NOT NULL,
	"usual" double precision NOT NULL,
	"days" integer NOT NULL,
	"windows" integer NOT NULL,
	"score" double precision NOT NULL,
	"threshold" double precision NOT NULL,
	"sensitivity" text NOT NULL,
	"provisional" boolean NOT NULL,
	"tz" text NOT NULL,
	"sentence" text NOT NULL,
	"top_post_id" bigint,
	"top_share" double precision,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "spikes_window_key" UNIQUE("search_id","measure","window_start"),
	CONSTRAINT "spikes_measure" CHECK ("strandline"."spikes"."measure" in ('posts', 'engagement')),
	CONSTRAINT "spikes_top" CHECK (("strandline"."spikes"."top_post_id" is null) = ("strandline"."spikes"."top_share" is null))
);
--> statement-breakpoint
CREATE TABLE "strandline"."volume" (
	"search_id" bigint NOT NULL,
	"bucket_at" timestamp (3) with time zone NOT NULL,
	"posts" integer NOT NULL,
	"minutes" bit(15) NOT NULL,
	"cut" boolean NOT NULL,
	CONSTRAINT "volume_search_id_bucket_at_pk" PRIMARY KEY("search_id","bucket_at")
);
--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD COLUMN "sensitivity" text DEFAULT 'normal' NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD CONSTRAINT "coverage_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coverage_search" ON "strandline"."coverage" USING btree ("search_id","observed_until");--> statement-breakpoint
CREATE INDEX "spikes_search" ON "strandline"."spikes" USING btree ("search_id","measure","window_end");--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_sensitivity" CHECK ("strandline"."searches"."sensitivity" in ('low', 'normal', 'high', 'off'));