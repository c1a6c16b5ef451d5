CREATE TABLE "strandline"."run_gains" (
	"run_id" bigint PRIMARY KEY NOT NULL,
	"search_id" bigint NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"until_at" timestamp (3) with time zone NOT NULL,
	"posts" integer NOT NULL,
	"gained" bigint NOT NULL,
	"top_post_id" bigint,
	"top_gained" bigint,
	CONSTRAINT "run_gains_order" CHECK ("strandline"."run_gains"."from_at" < "strandline"."run_gains"."until_at"),
	CONSTRAINT "run_gains_top" CHECK (("strandline"."run_gains"."top_post_id" is null) = ("strandline"."run_gains"."top_gained" is null))
);
--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD COLUMN "weekday_usual" double precision;--> statement-breakpoint
ALTER TABLE "strandline"."run_gains" ADD CONSTRAINT "run_gains_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "run_gains_search" ON "strandline"."run_gains" USING btree ("search_id","until_at");--> statement-breakpoint
-- A lower bound is taken as it is: its coverage may be nothing.
CREATE OR REPLACE VIEW strandline_analytics.spikes AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.measure, k.window_start, k.window_end, k.sentence,
    k.n, k.lower_bound, k.coverage, k.usual,
    case when k.lower_bound then k.n else k.n / k.coverage end / nullif(k.usual, 0) as ratio, k.mean, k.sd, k.score, k.threshold,
    k.sensitivity, k.days, k.windows, k.provisional, k.tz, k.top_post_id, k.top_share, k.weekday_usual
  from strandline.spikes k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id;
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.spikes.ratio IS 'n, scaled up by coverage where it is no lower bound, over usual; null where usual is 0.';
COMMENT ON COLUMN strandline_analytics.spikes.score IS 'How far n, scaled up by coverage where it is no lower bound, lies from the mean of this time of day, in sd.';
COMMENT ON COLUMN strandline_analytics.spikes.weekday_usual IS 'Middle of the observed windows within an hour of this time on this weekday in the last four weeks, in the unit of n; null where one of them was not observed.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.2';
