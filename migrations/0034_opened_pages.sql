CREATE TABLE "strandline"."opened_pages" (
	"address_hash" "bytea" PRIMARY KEY NOT NULL,
	"page" jsonb NOT NULL,
	"validators" jsonb NOT NULL,
	"fresh_until" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "opened_pages_read_at_index" ON "strandline"."opened_pages" USING btree ("read_at");