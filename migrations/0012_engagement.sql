CREATE TABLE "strandline"."looks" (
	"search_id" bigint PRIMARY KEY NOT NULL,
	"run_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."post_ages" (
	"post_id" bigint NOT NULL,
	"hours" integer NOT NULL,
	"before_at" timestamp (3) with time zone NOT NULL,
	"after_at" timestamp (3) with time zone NOT NULL,
	"reply_count" double precision,
	"repost_count" double precision,
	"like_count" double precision,
	"view_count" double precision,
	"quote_count" double precision,
	"impression_count" double precision,
	"bookmark_count" double precision,
	CONSTRAINT "post_ages_post_id_hours_pk" PRIMARY KEY("post_id","hours"),
	CONSTRAINT "post_ages_hours" CHECK ("strandline"."post_ages"."hours" in (1, 3, 8, 24, 72))
);
--> statement-breakpoint
CREATE TABLE "strandline"."post_gains" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"changed_before_at" timestamp (3) with time zone NOT NULL,
	"step_like_count" bigint,
	"step_engagement" bigint,
	"first_reply_count" bigint,
	"first_repost_count" bigint,
	"first_like_count" bigint,
	"first_view_count" bigint,
	"first_quote_count" bigint,
	"first_impression_count" bigint,
	"first_bookmark_count" bigint,
	"gained_reply_count" bigint,
	"gained_repost_count" bigint,
	"gained_like_count" bigint,
	"gained_view_count" bigint,
	"gained_quote_count" bigint,
	"gained_impression_count" bigint,
	"gained_bookmark_count" bigint,
	"lost_reply_count" bigint,
	"lost_repost_count" bigint,
	"lost_like_count" bigint,
	"lost_view_count" bigint,
	"lost_quote_count" bigint,
	"lost_impression_count" bigint,
	"lost_bookmark_count" bigint
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_gains" (
	"search_id" bigint NOT NULL,
	"hour_at" timestamp (3) with time zone NOT NULL,
	"changes" bigint NOT NULL,
	"gained_reply_count" bigint,
	"gained_repost_count" bigint,
	"gained_like_count" bigint,
	"gained_view_count" bigint,
	"gained_quote_count" bigint,
	"gained_impression_count" bigint,
	"gained_bookmark_count" bigint,
	"lost_reply_count" bigint,
	"lost_repost_count" bigint,
	"lost_like_count" bigint,
	"lost_view_count" bigint,
	"lost_quote_count" bigint,
	"lost_impression_count" bigint,
	"lost_bookmark_count" bigint,
	CONSTRAINT "search_gains_search_id_hour_at_pk" PRIMARY KEY("search_id","hour_at")
);
--> statement-breakpoint
CREATE TABLE "strandline"."unseen" (
	"search_id" bigint NOT NULL,
	"post_id" bigint NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "unseen_search_id_post_id_pk" PRIMARY KEY("search_id","post_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_days" (
	"search_id" bigint NOT NULL,
	"day_at" timestamp (3) with time zone NOT NULL,
	"posts" integer NOT NULL,
	"topic_posts" integer NOT NULL,
	"topic_reposts" integer NOT NULL,
	"minutes" integer NOT NULL,
	"cut" boolean NOT NULL,
	CONSTRAINT "search_days_search_id_day_at_pk" PRIMARY KEY("search_id","day_at")
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_tops" (
	"search_id" bigint NOT NULL,
	"day_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"posts" integer NOT NULL,
	"topic_posts" integer NOT NULL,
	CONSTRAINT "search_tops_search_id_kind_day_at_name_pk" PRIMARY KEY("search_id","kind","day_at","name"),
	CONSTRAINT "search_tops_kind" CHECK ("strandline"."search_tops"."kind" in ('author', 'language', 'hashtag', 'domain', 'site'))
);
--> statement-breakpoint
CREATE INDEX "unseen_post" ON "strandline"."unseen" USING btree ("post_id");--> statement-breakpoint
-- Rows that are written again and again, and whose indexes do not change, stay inside their page (HOT).
ALTER TABLE "strandline"."post_gains" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "strandline"."search_gains" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "strandline"."search_days" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "strandline"."search_tops" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "strandline"."looks" SET (fillfactor = 20);
