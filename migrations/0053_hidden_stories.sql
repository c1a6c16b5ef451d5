ALTER TABLE "strandline"."discoveries" ADD COLUMN "hidden" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."topic_items" ADD COLUMN "dismissed_by" text;--> statement-breakpoint
ALTER TABLE "strandline"."stories" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."stories" ADD COLUMN "hidden_by" text;--> statement-breakpoint
CREATE INDEX "discoveries_hidden" ON "strandline"."discoveries" USING btree ("search_id","kind","thing") WHERE "strandline"."discoveries"."hidden";--> statement-breakpoint
-- What was dismissed before is decided again by the next pass over stories.
INSERT INTO "strandline"."story_changes" ("kind", "thing")
SELECT 'post', p."id" FROM "strandline"."topic_items" i JOIN "strandline"."posts" p ON p."key" = i."key" WHERE i."dismissed_at" IS NOT NULL
UNION SELECT 'link', l."id" FROM "strandline"."topic_items" i JOIN "strandline"."links" l ON l."canonical" = i."key" WHERE i."dismissed_at" IS NOT NULL;
