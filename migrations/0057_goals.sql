CREATE TABLE "strandline"."judgement_waits" (
	"channel_id" bigint NOT NULL,
	"discovery_id" bigint NOT NULL,
	CONSTRAINT "judgement_waits_channel_id_discovery_id_pk" PRIMARY KEY("channel_id","discovery_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."judgements" (
	"discovery_id" bigint NOT NULL,
	"goal_hash" text NOT NULL,
	"topic_id" bigint NOT NULL,
	"found_at" timestamp (3) with time zone NOT NULL,
	"relevant" boolean,
	"why" text,
	"judged_at" timestamp (3) with time zone,
	"next_at" timestamp (3) with time zone,
	"unusable" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "judgements_discovery_id_goal_hash_pk" PRIMARY KEY("discovery_id","goal_hash"),
	CONSTRAINT "judgements_judged" CHECK (("strandline"."judgements"."relevant" is null) = ("strandline"."judgements"."judged_at" is null)),
	CONSTRAINT "judgements_asked" CHECK ("strandline"."judgements"."relevant" is null or "strandline"."judgements"."next_at" is null),
	CONSTRAINT "judgements_why" CHECK (length("strandline"."judgements"."why") <= 200)
);
--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD COLUMN "goal" text;--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD COLUMN "goal_hash" text;--> statement-breakpoint
CREATE INDEX "judgement_waits_discovery" ON "strandline"."judgement_waits" USING btree ("discovery_id");--> statement-breakpoint
CREATE INDEX "judgements_waiting" ON "strandline"."judgements" USING btree ("next_at") WHERE "strandline"."judgements"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "judgements_topic" ON "strandline"."judgements" USING btree ("topic_id","goal_hash","discovery_id");--> statement-breakpoint
ALTER TABLE "strandline"."topics" ADD CONSTRAINT "topics_goal" CHECK (("strandline"."topics"."goal" is null) = ("strandline"."topics"."goal_hash" is null) and length("strandline"."topics"."goal") between 1 and 300);