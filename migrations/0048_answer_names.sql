CREATE TABLE "strandline"."answer_names" (
	"completion_id" bigint NOT NULL,
	"search_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"version" integer NOT NULL,
	"named" bigint[] NOT NULL,
	"cited" bigint[] NOT NULL,
	CONSTRAINT "answer_names_completion_id_pk" PRIMARY KEY("completion_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."topic_name_lists" (
	"topic_id" bigint PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"unread_below" bigint
);
--> statement-breakpoint
CREATE TABLE "strandline"."topic_names" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."topic_names_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"topic_id" bigint NOT NULL,
	"name" text NOT NULL,
	"key" text NOT NULL,
	"side" text NOT NULL,
	"aliases" text[] NOT NULL,
	"domains" text[] NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_by" text NOT NULL,
	"owner" text,
	CONSTRAINT "topic_names_key" UNIQUE("topic_id","key"),
	CONSTRAINT "topic_names_side" CHECK ("strandline"."topic_names"."side" in ('own', 'rival'))
);
--> statement-breakpoint
ALTER TABLE "strandline"."answer_names" ADD CONSTRAINT "answer_names_completion_id_completions_id_fk" FOREIGN KEY ("completion_id") REFERENCES "strandline"."completions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."topic_name_lists" ADD CONSTRAINT "topic_name_lists_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."topic_names" ADD CONSTRAINT "topic_names_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "answer_names_search" ON "strandline"."answer_names" USING btree ("search_id","observed_at");