CREATE TABLE "strandline"."digests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."digests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"rule_id" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"from_at" timestamp (3) with time zone,
	"until_at" timestamp (3) with time zone,
	"last_discovery" bigint,
	"value" jsonb,
	CONSTRAINT "digests_slot_key" UNIQUE("rule_id","due_at"),
	CONSTRAINT "digests_state" CHECK ("strandline"."digests"."state" in ('planned', 'sent', 'kept')),
	CONSTRAINT "digests_value" CHECK (("strandline"."digests"."state" = 'planned') = ("strandline"."digests"."value" is null)),
	CONSTRAINT "digests_reason" CHECK (("strandline"."digests"."state" = 'kept') = ("strandline"."digests"."reason" is not null))
);
--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD COLUMN "digest_id" bigint;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "digest" text;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD COLUMN "digest_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."digests" ADD CONSTRAINT "digests_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "strandline"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "digests_planned" ON "strandline"."digests" USING btree ("id") WHERE "strandline"."digests"."state" = 'planned';--> statement-breakpoint
ALTER TABLE "strandline"."deliveries" ADD CONSTRAINT "deliveries_digest_id_digests_id_fk" FOREIGN KEY ("digest_id") REFERENCES "strandline"."digests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_digest" ON "strandline"."deliveries" USING btree ("digest_id") WHERE "strandline"."deliveries"."digest_id" is not null;--> statement-breakpoint
CREATE INDEX "rules_digest" ON "strandline"."rules" USING btree ("digest_due_at") WHERE "strandline"."rules"."digest" is not null;--> statement-breakpoint
ALTER TABLE "strandline"."rules" ADD CONSTRAINT "rules_digest_due" CHECK ("strandline"."rules"."digest_due_at" is null or "strandline"."rules"."digest" is not null);