CREATE TABLE "strandline"."archive_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."archive_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"thing" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."archive_corpora" (
	"sandbox" boolean PRIMARY KEY NOT NULL,
	"documents" bigint NOT NULL,
	"words" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."archive_documents" (
	"kind" text NOT NULL,
	"thing" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"sandbox" boolean NOT NULL,
	"config" text NOT NULL,
	"words" integer NOT NULL,
	"tsv" "tsvector" NOT NULL,
	CONSTRAINT "archive_documents_kind_thing_pk" PRIMARY KEY("kind","thing"),
	CONSTRAINT "archive_documents_kind" CHECK ("strandline"."archive_documents"."kind" in ('post', 'link'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."archive_lexemes" (
	"lexeme" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"documents" integer NOT NULL,
	CONSTRAINT "archive_lexemes_lexeme_sandbox_pk" PRIMARY KEY("lexeme","sandbox")
);
--> statement-breakpoint
CREATE TABLE "strandline"."archive_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"discovery_id" bigint NOT NULL,
	CONSTRAINT "archive_progress_only" CHECK ("strandline"."archive_progress"."only")
);
--> statement-breakpoint
CREATE INDEX "archive_documents_tsv" ON "strandline"."archive_documents" USING gin ("tsv");--> statement-breakpoint
CREATE INDEX "archive_documents_at" ON "strandline"."archive_documents" USING btree ("at");--> statement-breakpoint
INSERT INTO "strandline"."archive_corpora" VALUES (false, 0, 0), (true, 0, 0);--> statement-breakpoint
INSERT INTO "strandline"."archive_progress" ("discovery_id") VALUES (0);--> statement-breakpoint
-- What is found is read from the feed. Only a change of words, later, is not in it: an edited post, another
-- title of a page. The condition is looked at without calling anything; a change of counters passes by.
CREATE FUNCTION "strandline"."archive_change"() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.archive_changes (kind, thing) VALUES (TG_ARGV[0], NEW.id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "archive_change" AFTER UPDATE OF "text" ON "strandline"."posts"
FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text)
EXECUTE FUNCTION "strandline"."archive_change"('post');--> statement-breakpoint
CREATE TRIGGER "archive_change" AFTER UPDATE OF "title", "snippet", "summary_description" ON "strandline"."links"
FOR EACH ROW WHEN ((OLD.title, OLD.snippet, OLD.summary_description) IS DISTINCT FROM (NEW.title, NEW.snippet, NEW.summary_description))
EXECUTE FUNCTION "strandline"."archive_change"('link');
