-- `is_partial` says that no full copy was stored. Before, it also marked rows of full copies in which a partial one had filled a member.
UPDATE "strandline"."posts" SET "is_partial" = false WHERE "is_partial" AND "content_hash" IS NOT NULL;--> statement-breakpoint
UPDATE "strandline"."authors" SET "is_partial" = false WHERE "is_partial" AND "content_hash" IS NOT NULL;
