CREATE TABLE "strandline"."delivery_events" (
	"rule_id" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"part" text NOT NULL,
	"delivery_id" bigint NOT NULL,
	CONSTRAINT "delivery_events_rule_id_event_id_channel_id_part_pk" PRIMARY KEY("rule_id","event_id","channel_id","part"),
	CONSTRAINT "delivery_events_part" CHECK ("strandline"."delivery_events"."part" in ('beginning', 'end'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."system_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."system_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject_key" text NOT NULL,
	"subject" text NOT NULL,
	"search_id" bigint,
	"since" timestamp (3) with time zone NOT NULL,
	"noticed_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"clear_since" timestamp (3) with time zone,
	"until" timestamp (3) with time zone,
	"outcome" text,
	"recurrences" integer NOT NULL,
	"reason" text,
	"advice" text,
	CONSTRAINT "system_events_ended" CHECK (("strandline"."system_events"."until" is null) = ("strandline"."system_events"."outcome" is null)),
	CONSTRAINT "system_events_confirmed" CHECK ("strandline"."system_events"."until" is null or "strandline"."system_events"."opened_at" is not null)
);
--> statement-breakpoint
ALTER TABLE "strandline"."rules" DROP CONSTRAINT "rules_kinds";--> statement-breakpoint
ALTER TABLE "strandline"."delivery_events" ADD CONSTRAINT "delivery_events_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "strandline"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_events_delivery" ON "strandline"."delivery_events" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "delivery_events_event" ON "strandline"."delivery_events" USING btree ("event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "system_events_open" ON "strandline"."system_events" USING btree ("kind","subject_key") WHERE "strandline"."system_events"."until" is null;--> statement-breakpoint
CREATE INDEX "system_events_until" ON "strandline"."system_events" USING btree ("until");--> statement-breakpoint
-- The name belongs to the rule that exists from the start, so a rule of somebody's that has it gets another.
UPDATE strandline.rules SET slug = 'system-rule-' || id WHERE slug = 'system';--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_system" CHECK (("strandline"."rules"."kinds" = array['system']) = ("strandline"."rules"."slug" = 'system'));--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike', 'trend', 'answer', 'system']);--> statement-breakpoint
INSERT INTO strandline.rules (slug, name, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
SELECT 'system', 'Problems of strandline', array['system'], '', 900, 'active', now, 0, now
FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) t;
