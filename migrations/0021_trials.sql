CREATE TABLE "strandline"."trials" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."trials_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"service_id" bigint NOT NULL,
	"operation" text NOT NULL,
	"prompt" text NOT NULL,
	"tools" text[] NOT NULL,
	"model" text NOT NULL,
	"date_filter" text,
	"streaming" boolean NOT NULL,
	"extra" jsonb NOT NULL,
	"state" text NOT NULL,
	"http_status" integer,
	"code" text,
	"bytes" integer,
	"latency_ms" integer,
	"cost_usd" numeric(12, 6),
	"sent_at" timestamp (3) with time zone NOT NULL,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone,
	CONSTRAINT "trials_operation" CHECK ("strandline"."trials"."operation" in ('ai', 'microblog')),
	CONSTRAINT "trials_state" CHECK ("strandline"."trials"."state" in ('sent', 'received', 'failed', 'unknown'))
);
--> statement-breakpoint
ALTER TABLE "strandline"."trials" ADD CONSTRAINT "trials_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trials_service" ON "strandline"."trials" USING btree ("service_id","sent_at");--> statement-breakpoint
CREATE INDEX "trials_open" ON "strandline"."trials" USING btree ("deadline_at") WHERE "strandline"."trials"."state" = 'sent';--> statement-breakpoint
CREATE INDEX "calls_cost" ON "strandline"."calls" USING btree ("service_id","sent_at") WHERE "strandline"."calls"."cost_usd" is not null;
--> statement-breakpoint
CREATE VIEW strandline_analytics.trials AS
  select x.id, v.name as service, x.operation, x.prompt, x.tools, x.model, x.date_filter, x.streaming, x.extra, x.state,
    x.http_status, x.code, x.bytes, x.latency_ms, x.cost_usd, x.sent_at, x.received_at
  from strandline.trials x
  join strandline.services v on v.id = x.service_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.trials IS 'Calls that tried out a search before it was saved: they belong to no run and count against the calls of their day. Nothing that they found is kept.';
COMMENT ON COLUMN strandline_analytics.trials.id IS 'Key of the trial.';
COMMENT ON COLUMN strandline_analytics.trials.service IS 'Who was called.';
COMMENT ON COLUMN strandline_analytics.trials.operation IS 'ai or microblog.';
COMMENT ON COLUMN strandline_analytics.trials.prompt IS 'What was asked.';
COMMENT ON COLUMN strandline_analytics.trials.tools IS 'Tools of an ai search, in the words of the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.trials.date_filter IS 'How far back an ai search looks; null for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.streaming IS 'Whether the answer was to be streamed.';
COMMENT ON COLUMN strandline_analytics.trials.extra IS 'Members beyond the specification that were passed through.';
COMMENT ON COLUMN strandline_analytics.trials.state IS 'sent, received, failed or unknown (nobody waited for its end, or the process ended before it; counts as paid).';
COMMENT ON COLUMN strandline_analytics.trials.http_status IS 'HTTP status code of the answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.code IS 'Why it failed, or why its answer could not be read; null otherwise.';
COMMENT ON COLUMN strandline_analytics.trials.bytes IS 'Size of the decoded answer in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.latency_ms IS 'From request to last byte, in milliseconds; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.trials.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.trials.sent_at IS 'Committed before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.trials.received_at IS 'When its answer or failure was known (UTC); null while nothing is.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.5';
