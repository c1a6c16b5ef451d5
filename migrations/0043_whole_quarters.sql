ALTER TABLE "strandline"."volume" ADD COLUMN "topic_reposts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Days are the sums of their quarters from now on, so the quarters get what the days have.
UPDATE "strandline"."volume" v SET "topic_reposts" = c.n
FROM (
  SELECT g."search_id", date_bin('15 minutes', least(g."post_created_at", g."first_seen_at"), 'epoch') AS "bucket_at", count(*)::integer AS n
  FROM "strandline"."post_sightings" g
  JOIN "strandline"."posts" p ON p."id" = g."post_id" AND p."is_repost"
  JOIN "strandline"."searches" s ON s."id" = g."search_id"
  WHERE NOT EXISTS (
    SELECT FROM "strandline"."post_sightings" o JOIN "strandline"."searches" os ON os."id" = o."search_id"
    WHERE o."post_id" = g."post_id" AND os."topic_id" = s."topic_id"
      AND (o."first_seen_at", o."search_id") < (g."first_seen_at", g."search_id"))
  GROUP BY 1, 2
) c
WHERE v."search_id" = c."search_id" AND v."bucket_at" = c."bucket_at";--> statement-breakpoint
CREATE INDEX "link_sightings_time" ON "strandline"."link_sightings" USING btree ("search_id","first_seen_at","link_id");
