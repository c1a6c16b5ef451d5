-- Stories are decided again, from the beginning of the feed: what reports them was not stored.
TRUNCATE strandline.stories, strandline.story_items, strandline.story_candidates, strandline.story_changes;--> statement-breakpoint
DELETE FROM strandline.facts WHERE name IN ('stories', 'text_keys');--> statement-breakpoint
DROP INDEX "strandline"."posts_text_key";--> statement-breakpoint
ALTER TABLE "strandline"."discoveries" ADD COLUMN "folded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."stories" ADD COLUMN "things" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."stories" ADD COLUMN "reported_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."posts" DROP COLUMN "text_key";