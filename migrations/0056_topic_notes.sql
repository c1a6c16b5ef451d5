CREATE TABLE "strandline"."topic_notes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."topic_notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"topic_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"text" text NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_by" text NOT NULL,
	"edited_at" timestamp (3) with time zone,
	CONSTRAINT "topic_notes_text" CHECK (length("strandline"."topic_notes"."text") between 1 and 280)
);
--> statement-breakpoint
ALTER TABLE "strandline"."topic_notes" ADD CONSTRAINT "topic_notes_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "topic_notes_topic" ON "strandline"."topic_notes" USING btree ("topic_id","at","id");