ALTER TABLE "strandline"."posts" ADD COLUMN "text_key" bigint;--> statement-breakpoint
CREATE INDEX "posts_text_key" ON "strandline"."posts" USING btree ("text_key","id") WHERE "strandline"."posts"."text_key" is not null;--> statement-breakpoint
-- The index has no entry yet: building it reads the table once, some seconds per ten million rows. `fill-text-keys.ts` fills
-- the keys of stored posts in batches, and begins after the post that this fact names.
INSERT INTO strandline.facts (name, value, at)
SELECT 'text_keys', '0', date_trunc('milliseconds', clock_timestamp()) WHERE EXISTS (SELECT FROM strandline.posts);
