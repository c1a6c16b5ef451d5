CREATE TABLE "strandline"."source_allowances" (
	"source" text NOT NULL,
	"period" text NOT NULL,
	"units" bigint NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "source_allowances_source_period_pk" PRIMARY KEY("source","period"),
	CONSTRAINT "source_allowances_units" CHECK ("strandline"."source_allowances"."units" >= 0)
);
--> statement-breakpoint
CREATE TABLE "strandline"."source_turns" (
	"source" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
