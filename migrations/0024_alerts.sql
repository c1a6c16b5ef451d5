CREATE TABLE "strandline"."channels" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."channels_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slug" text NOT NULL,
	"kind" text NOT NULL,
	"address" text NOT NULL,
	"secrets" text[] NOT NULL,
	"former_until" timestamp (3) with time zone,
	"state" text NOT NULL,
	"state_reason" text,
	"state_since" timestamp (3) with time zone NOT NULL,
	"cursor" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"resting_until" timestamp (3) with time zone,
	"last_delivered_at" timestamp (3) with time zone,
	"fence" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	CONSTRAINT "channels_kind" CHECK ("strandline"."channels"."kind" in ('webhook')),
	CONSTRAINT "channels_state" CHECK ("strandline"."channels"."state" in ('active', 'paused', 'disabled')),
	CONSTRAINT "channels_slug" CHECK ("strandline"."channels"."slug" ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
	CONSTRAINT "channels_secrets" CHECK (cardinality("strandline"."channels"."secrets") <= 2)
);
--> statement-breakpoint
CREATE TABLE "strandline"."deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" text NOT NULL,
	"channel_id" bigint NOT NULL,
	"rule_id" bigint NOT NULL,
	"run_id" bigint,
	"state" text NOT NULL,
	"reason" text,
	"body" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"made_at" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"http_status" integer,
	"code" text,
	"answer" text,
	CONSTRAINT "deliveries_message_key" UNIQUE("message_id"),
	CONSTRAINT "deliveries_state" CHECK ("strandline"."deliveries"."state" in ('gathering', 'pending', 'delivered', 'dead', 'cancelled')),
	CONSTRAINT "deliveries_body" CHECK ("strandline"."deliveries"."state" <> 'pending' or "strandline"."deliveries"."body" is not null),
	CONSTRAINT "deliveries_next" CHECK (("strandline"."deliveries"."state" in ('gathering', 'pending')) = ("strandline"."deliveries"."next_attempt_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "strandline"."delivery_discoveries" (
	"rule_id" bigint NOT NULL,
	"discovery_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"delivery_id" bigint NOT NULL,
	CONSTRAINT "delivery_discoveries_rule_id_discovery_id_channel_id_pk" PRIMARY KEY("rule_id","discovery_id","channel_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."rule_channels" (
	"rule_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"after" bigint NOT NULL,
	CONSTRAINT "rule_channels_rule_id_channel_id_pk" PRIMARY KEY("rule_id","channel_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."rules" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."rules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"topic_id" bigint,
	"search_id" bigint,
	"kinds" text[] NOT NULL,
	"filter" text NOT NULL,
	"cooldown_seconds" integer NOT NULL,
	"state" text NOT NULL,
	"state_since" timestamp (3) with time zone NOT NULL,
	"after" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	CONSTRAINT "rules_scope" CHECK ("strandline"."rules"."topic_id" is null or "strandline"."rules"."search_id" is null),
	CONSTRAINT "rules_kinds" CHECK (cardinality("strandline"."rules"."kinds") > 0 and "strandline"."rules"."kinds" <@ array['post', 'link', 'spike']),
	CONSTRAINT "rules_cooldown" CHECK ("strandline"."rules"."cooldown_seconds" >= 0),
	CONSTRAINT "rules_state" CHECK ("strandline"."rules"."state" in ('active', 'paused')),
	CONSTRAINT "rules_slug" CHECK ("strandline"."rules"."slug" ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD CONSTRAINT "deliveries_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "strandline"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD CONSTRAINT "deliveries_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "strandline"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."delivery_discoveries" ADD CONSTRAINT "delivery_discoveries_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "strandline"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."rule_channels" ADD CONSTRAINT "rule_channels_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "strandline"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."rule_channels" ADD CONSTRAINT "rule_channels_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "strandline"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channels_slug_key" ON "strandline"."channels" USING btree ("slug") WHERE "strandline"."channels"."archived_at" is null;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "strandline"."deliveries" USING btree ("channel_id","next_attempt_at") WHERE "strandline"."deliveries"."state" in ('gathering', 'pending');--> statement-breakpoint
CREATE INDEX "deliveries_channel" ON "strandline"."deliveries" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_rule" ON "strandline"."deliveries" USING btree ("rule_id","channel_id","made_at");--> statement-breakpoint
CREATE INDEX "deliveries_dead" ON "strandline"."deliveries" USING btree ("channel_id","id") WHERE "strandline"."deliveries"."state" = 'dead';--> statement-breakpoint
CREATE INDEX "deliveries_run" ON "strandline"."deliveries" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "delivery_discoveries_delivery" ON "strandline"."delivery_discoveries" USING btree ("delivery_id","discovery_id");--> statement-breakpoint
CREATE INDEX "delivery_discoveries_discovery" ON "strandline"."delivery_discoveries" USING btree ("discovery_id");--> statement-breakpoint
CREATE INDEX "rule_channels_channel" ON "strandline"."rule_channels" USING btree ("channel_id");--> statement-breakpoint
CREATE UNIQUE INDEX "rules_slug_key" ON "strandline"."rules" USING btree ("slug") WHERE "strandline"."rules"."archived_at" is null;
--> statement-breakpoint
-- What is told, to whom, and what came of it. Addresses and secrets of channels stand in no view, nor what receivers answer.
CREATE VIEW strandline_analytics.rules AS
  select r.id, r.slug, r.name, coalesce(t.slug, st.slug) as topic, s.slug as search, r.kinds, r.filter, r.cooldown_seconds,
    array(select c.slug from strandline.rule_channels rc join strandline.channels c on c.id = rc.channel_id
      where rc.rule_id = r.id and c.archived_at is null order by c.slug) as channels,
    r.state, r.state_since,
    (select max(d.made_at) from strandline.deliveries d where d.rule_id = r.id) as last_made_at,
    r.created_at, r.archived_at
  from strandline.rules r
  left join strandline.topics t on t.id = r.topic_id
  left join strandline.searches s on s.id = r.search_id
  left join strandline.topics st on st.id = s.topic_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rules IS 'Rules of alerts: what is told, and to which channels.';
COMMENT ON COLUMN strandline_analytics.rules.id IS 'Key of the rule.';
COMMENT ON COLUMN strandline_analytics.rules.slug IS 'Short name; only removed rules may have one that another has.';
COMMENT ON COLUMN strandline_analytics.rules.name IS 'What a person calls it.';
COMMENT ON COLUMN strandline_analytics.rules.topic IS 'Slug of the topic that it watches, or of the topic of its search; null when it watches all.';
COMMENT ON COLUMN strandline_analytics.rules.search IS 'Slug of the search that it watches; null when it watches a topic or all.';
COMMENT ON COLUMN strandline_analytics.rules.kinds IS 'What it tells of: post, link, spike.';
COMMENT ON COLUMN strandline_analytics.rules.filter IS 'Words that must appear, and with a minus before them must not; empty: everything passes.';
COMMENT ON COLUMN strandline_analytics.rules.cooldown_seconds IS 'At most one message in so many seconds, per channel; 0: one per run that found something.';
COMMENT ON COLUMN strandline_analytics.rules.channels IS 'Slugs of the channels that it tells.';
COMMENT ON COLUMN strandline_analytics.rules.state IS 'active or paused.';
COMMENT ON COLUMN strandline_analytics.rules.state_since IS 'Since when it is in this state (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.last_made_at IS 'When its last message was made (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.rules.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.archived_at IS 'When it was removed (UTC); null while it is there.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.channels AS
  select c.id, c.slug, c.kind, substring(c.address from '^[a-z]+://([^/?#]+)') as host, c.state, c.state_reason, c.state_since,
    (select count(*) from strandline.rule_channels rc join strandline.rules r on r.id = rc.rule_id
      where rc.channel_id = c.id and r.archived_at is null) as rules,
    c.cursor as judged_discovery_id,
    (select count(*) from strandline.deliveries d where d.channel_id = c.id and d.state in ('gathering', 'pending')) as waiting,
    (select count(*) from strandline.deliveries d where d.channel_id = c.id and d.state = 'dead') as dead,
    c.failures, c.failing_since, c.resting_until,
    c.last_delivered_at,
    c.former_until as rotating_until, c.created_at, c.archived_at
  from strandline.channels c;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.channels IS 'Where alerts are sent. Addresses may be secrets, and are not here.';
COMMENT ON COLUMN strandline_analytics.channels.id IS 'Key of the channel.';
COMMENT ON COLUMN strandline_analytics.channels.slug IS 'Short name; only removed channels may have one that another has.';
COMMENT ON COLUMN strandline_analytics.channels.kind IS 'webhook.';
COMMENT ON COLUMN strandline_analytics.channels.host IS 'Host, and port where one is named, of its address.';
COMMENT ON COLUMN strandline_analytics.channels.state IS 'active, paused (by a person) or disabled (by what its receiver answers, or did not).';
COMMENT ON COLUMN strandline_analytics.channels.state_reason IS 'Why it is in this state; null where nothing is to be said.';
COMMENT ON COLUMN strandline_analytics.channels.state_since IS 'Since when (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.rules IS 'Number of rules that tell it something.';
COMMENT ON COLUMN strandline_analytics.channels.judged_discovery_id IS 'The last discovery that rules were asked about for it; it stands still while the channel is not active.';
COMMENT ON COLUMN strandline_analytics.channels.waiting IS 'Number of messages that gather or wait to be sent.';
COMMENT ON COLUMN strandline_analytics.channels.dead IS 'Number of messages that were given up.';
COMMENT ON COLUMN strandline_analytics.channels.failures IS 'Number of attempts that failed since one succeeded.';
COMMENT ON COLUMN strandline_analytics.channels.failing_since IS 'When the first of them failed (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.resting_until IS 'Until when nothing is sent because of them (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.last_delivered_at IS 'When a message was last delivered (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.channels.rotating_until IS 'Until when messages are signed with the secret before this one, too (UTC); null where it was never rotated.';
COMMENT ON COLUMN strandline_analytics.channels.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.archived_at IS 'When it was removed (UTC); null while it is there.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.deliveries AS
  select d.id, d.message_id, c.slug as channel, r.slug as rule, d.run_id, d.state, d.reason,
    (select count(*) from strandline.delivery_discoveries x where x.delivery_id = d.id) as discoveries,
    octet_length(d.body) as bytes, d.created_at, d.made_at, d.next_attempt_at, d.attempts, d.last_attempt_at, d.delivered_at,
    d.http_status, d.code
  from strandline.deliveries d
  join strandline.channels c on c.id = d.channel_id
  join strandline.rules r on r.id = d.rule_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.deliveries IS 'Messages of alerts, one row per message and channel, and what came of them.';
COMMENT ON COLUMN strandline_analytics.deliveries.id IS 'Key of the delivery, in the order they were begun.';
COMMENT ON COLUMN strandline_analytics.deliveries.message_id IS 'What its receiver knows it by (webhook-id); the same however often it is sent.';
COMMENT ON COLUMN strandline_analytics.deliveries.channel IS 'Slug of the channel.';
COMMENT ON COLUMN strandline_analytics.deliveries.rule IS 'Slug of the rule.';
COMMENT ON COLUMN strandline_analytics.deliveries.run_id IS 'Run that found what it says; null when several did.';
COMMENT ON COLUMN strandline_analytics.deliveries.state IS 'gathering (until its cooldown ends), pending, delivered, dead (given up) or cancelled.';
COMMENT ON COLUMN strandline_analytics.deliveries.reason IS 'Why it is dead or cancelled; null otherwise.';
COMMENT ON COLUMN strandline_analytics.deliveries.discoveries IS 'Number of discoveries that it tells of.';
COMMENT ON COLUMN strandline_analytics.deliveries.bytes IS 'Size of its body in bytes; null while it gathers, and where the body was forgotten.';
COMMENT ON COLUMN strandline_analytics.deliveries.created_at IS 'When it was begun (UTC).';
COMMENT ON COLUMN strandline_analytics.deliveries.made_at IS 'When its body was made (UTC); null while it gathers.';
COMMENT ON COLUMN strandline_analytics.deliveries.next_attempt_at IS 'When it is sent next, at the earliest (UTC); null when nothing more is tried.';
COMMENT ON COLUMN strandline_analytics.deliveries.attempts IS 'Number of attempts to send it.';
COMMENT ON COLUMN strandline_analytics.deliveries.last_attempt_at IS 'When the last attempt began (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.deliveries.delivered_at IS 'When its receiver took it (UTC); null where it did not.';
COMMENT ON COLUMN strandline_analytics.deliveries.http_status IS 'HTTP status code of the last answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.deliveries.code IS 'Why the last attempt failed; null when it did not.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.6';
