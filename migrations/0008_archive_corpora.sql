-- Counted per language too: a question is brought to the stems of those languages alone that there are.
DELETE FROM "strandline"."archive_corpora";--> statement-breakpoint
ALTER TABLE "strandline"."archive_corpora" DROP CONSTRAINT "archive_corpora_pkey";--> statement-breakpoint
ALTER TABLE "strandline"."archive_corpora" ADD COLUMN "config" text NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."archive_corpora" ADD CONSTRAINT "archive_corpora_sandbox_config_pk" PRIMARY KEY("sandbox","config");
