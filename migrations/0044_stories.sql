CREATE TABLE "strandline"."stories" (
	"id" bigint PRIMARY KEY NOT NULL,
	"topic_id" bigint NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"origin_id" bigint NOT NULL,
	"origin_at" timestamp (3) with time zone NOT NULL,
	"members" integer NOT NULL,
	"authors" integer NOT NULL,
	"sources" integer NOT NULL,
	"languages" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."story_candidates" (
	"discovery_id" bigint PRIMARY KEY NOT NULL,
	"topic_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"names" bigint[] NOT NULL,
	"bands" integer[],
	"shingles" integer[]
);
--> statement-breakpoint
CREATE TABLE "strandline"."story_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."story_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"thing" bigint NOT NULL,
	CONSTRAINT "story_changes_kind" CHECK ("strandline"."story_changes"."kind" in ('post', 'link'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."story_items" (
	"discovery_id" bigint PRIMARY KEY NOT NULL,
	"story_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "stories_topic" ON "strandline"."stories" USING btree ("topic_id","last_at","id");--> statement-breakpoint
CREATE INDEX "story_candidates_names" ON "strandline"."story_candidates" USING gin ("names") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "story_candidates_bands" ON "strandline"."story_candidates" USING gin ("bands") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "story_items_story" ON "strandline"."story_items" USING btree ("story_id","discovery_id");
--> statement-breakpoint
-- What names an item, or its text, changed after it was found. The conditions call nothing; a change of counters passes by.
CREATE FUNCTION strandline.story_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.story_changes (kind, thing) VALUES (TG_ARGV[0], NEW.id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER story_change AFTER UPDATE OF text, key, urls, quoted_status_id, reposted_status_id ON strandline.posts
  FOR EACH ROW WHEN ((OLD.text, OLD.key, OLD.urls, OLD.quoted_status_id, OLD.reposted_status_id)
    IS DISTINCT FROM (NEW.text, NEW.key, NEW.urls, NEW.quoted_status_id, NEW.reposted_status_id))
  EXECUTE FUNCTION strandline.story_change('post');--> statement-breakpoint
CREATE TRIGGER story_change AFTER UPDATE OF title ON strandline.links
  FOR EACH ROW WHEN (OLD.title IS DISTINCT FROM NEW.title)
  EXECUTE FUNCTION strandline.story_change('link');
