-- An age is kept per search that saw it. What was kept before names no search; it is observed anew.
TRUNCATE "strandline"."post_ages", "strandline"."search_gains";--> statement-breakpoint
ALTER TABLE "strandline"."post_ages" DROP CONSTRAINT "post_ages_post_id_hours_pk";--> statement-breakpoint
ALTER TABLE "strandline"."post_ages" ADD COLUMN "search_id" bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."post_ages" ADD COLUMN "at" timestamp (3) with time zone NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."post_ages" ADD CONSTRAINT "post_ages_search_id_hours_at_post_id_pk" PRIMARY KEY("search_id","hours","at","post_id");--> statement-breakpoint
ALTER TABLE "strandline"."search_gains" ADD COLUMN "looks" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."search_gains" ADD COLUMN "followed" bigint NOT NULL;--> statement-breakpoint
CREATE INDEX "post_ages_post" ON "strandline"."post_ages" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "search_days_day" ON "strandline"."search_days" USING btree ("day_at");
