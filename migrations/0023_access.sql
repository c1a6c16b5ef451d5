CREATE TABLE "strandline"."form_secret" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret" text NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "form_secret_one" CHECK ("strandline"."form_secret"."one")
);
--> statement-breakpoint
CREATE TABLE "strandline"."sessions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"hash" text NOT NULL,
	"token_id" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_hash_key" UNIQUE("hash")
);
--> statement-breakpoint
ALTER TABLE "strandline"."tokens" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."sessions" ADD CONSTRAINT "sessions_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "strandline"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_token" ON "strandline"."sessions" USING btree ("token_id");