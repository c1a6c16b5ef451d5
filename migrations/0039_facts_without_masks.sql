-- Facts know no longer which response knew which member: what a later response confirmed is in `run_results`.
-- after views: `post_growth` read columns that go.
ALTER TABLE "strandline"."observed_items" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "strandline"."observed_items" CASCADE;--> statement-breakpoint
CREATE INDEX "run_results_observed" ON "strandline"."run_results" USING btree ("observed_at");--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "followers_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "favourites_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "listed_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "media_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "statuses_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."author_counters" DROP COLUMN "followings_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."links" DROP COLUMN "known_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "reply_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "repost_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "like_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "view_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "quote_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "impression_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "bookmark_count_at";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "reply_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "repost_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "like_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "view_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "quote_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "impression_count_twice";--> statement-breakpoint
ALTER TABLE "strandline"."post_counters" DROP COLUMN "bookmark_count_twice";