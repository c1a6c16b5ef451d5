-- Gains between two responses are columns of the coverage of the later one.
ALTER TABLE "strandline"."coverage" ADD COLUMN "compared_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD COLUMN "compared_posts" integer;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD COLUMN "gained" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD COLUMN "top_post_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD COLUMN "top_gained" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD CONSTRAINT "coverage_compared" CHECK ("strandline"."coverage"."compared_from" < "strandline"."coverage"."observed_until" and ("strandline"."coverage"."compared_from" is null) = ("strandline"."coverage"."compared_posts" is null)
        and ("strandline"."coverage"."compared_from" is null) = ("strandline"."coverage"."gained" is null));--> statement-breakpoint
ALTER TABLE "strandline"."coverage" ADD CONSTRAINT "coverage_top" CHECK (("strandline"."coverage"."top_post_id" is null) = ("strandline"."coverage"."top_gained" is null));--> statement-breakpoint
UPDATE strandline.coverage c SET compared_from = g.from_at, compared_posts = g.posts, gained = g.gained, top_post_id = g.top_post_id, top_gained = g.top_gained
FROM strandline.run_gains g WHERE g.run_id = c.run_id AND g.from_at < c.observed_until;--> statement-breakpoint
DROP TABLE "strandline"."run_gains" CASCADE;
