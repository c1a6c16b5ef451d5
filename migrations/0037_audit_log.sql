CREATE TABLE "strandline"."audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"token" text,
	"name" text,
	"action" text NOT NULL,
	"subject" text,
	"changes" jsonb NOT NULL,
	CONSTRAINT "audit_log_actor" CHECK ("strandline"."audit_log"."actor" in ('token', 'session', 'local', 'command_line', 'program')),
	CONSTRAINT "audit_log_token" CHECK (("strandline"."audit_log"."token" is not null) = ("strandline"."audit_log"."actor" in ('token', 'session'))),
	CONSTRAINT "audit_log_action" CHECK ("strandline"."audit_log"."action" ~ '^[a-z_]+[.][a-z_]+$'),
	CONSTRAINT "audit_log_changes" CHECK (pg_column_size("strandline"."audit_log"."changes") <= 65536)
);
--> statement-breakpoint
ALTER TABLE "strandline"."sessions" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "strandline"."tokens" ADD COLUMN "former_hash" text;--> statement-breakpoint
ALTER TABLE "strandline"."tokens" ADD COLUMN "former_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "strandline"."audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_token" ON "strandline"."audit_log" USING btree ("token","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "strandline"."audit_log" USING btree ("subject","id");--> statement-breakpoint
ALTER TABLE "strandline"."tokens" ADD CONSTRAINT "tokens_former" CHECK (("strandline"."tokens"."former_hash" is null) = ("strandline"."tokens"."former_until" is null));--> statement-breakpoint
CREATE VIEW strandline_analytics.audit_log AS
  select id, at, actor, token, name, action, split_part(action, '.', 1) as kind, subject, changes from strandline.audit_log;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.audit_log IS 'Who created, changed or removed what, one row per change. Written in the transaction of the change; kept for AUDIT_DAYS. Secrets, keys and addresses of webhooks are not here.';
COMMENT ON COLUMN strandline_analytics.audit_log.id IS 'Key of the entry.';
COMMENT ON COLUMN strandline_analytics.audit_log.at IS 'When it was written (UTC), by the clock of the database.';
COMMENT ON COLUMN strandline_analytics.audit_log.actor IS 'Who changed it: token (a request with a token), session (a person who signed in with one), local (somebody on this machine while no token existed), command_line, or program (strandline itself, such as its sample topic).';
COMMENT ON COLUMN strandline_analytics.audit_log.token IS 'The eight characters that name the token; null where none was used.';
COMMENT ON COLUMN strandline_analytics.audit_log.name IS 'Name of the token, account that ran the command, or part of the program; null for local.';
COMMENT ON COLUMN strandline_analytics.audit_log.action IS 'What was done: the kind of thing and the change, such as topic.created or search.updated.';
COMMENT ON COLUMN strandline_analytics.audit_log.kind IS 'The kind of thing: the part of the action before the dot.';
COMMENT ON COLUMN strandline_analytics.audit_log.subject IS 'The thing: slug of a topic, search, rule or channel, id of a run, delivery or author, the eight characters of a token or key; null where there is only one.';
COMMENT ON COLUMN strandline_analytics.audit_log.changes IS 'Fields by name, each with before and after where it had such a value; long values are cut. Empty where the action says all.';
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.12';
