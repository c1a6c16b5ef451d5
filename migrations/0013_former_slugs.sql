CREATE TABLE "strandline"."former_slugs" (
	"kind" text NOT NULL,
	"slug" text NOT NULL,
	"topic_id" bigint,
	"search_id" bigint,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "former_slugs_kind_slug_pk" PRIMARY KEY("kind","slug"),
	CONSTRAINT "former_slugs_kind" CHECK ("strandline"."former_slugs"."kind" in ('topic', 'search')),
	CONSTRAINT "former_slugs_owner" CHECK (("strandline"."former_slugs"."topic_id" is not null) = ("strandline"."former_slugs"."kind" = 'topic') and ("strandline"."former_slugs"."search_id" is not null) = ("strandline"."former_slugs"."kind" = 'search'))
);
--> statement-breakpoint
ALTER TABLE "strandline"."pending_derivations" ADD COLUMN "edited_links" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "strandline"."former_slugs" ADD CONSTRAINT "former_slugs_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."former_slugs" ADD CONSTRAINT "former_slugs_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_slugs_topic" ON "strandline"."former_slugs" USING btree ("topic_id");--> statement-breakpoint
CREATE INDEX "former_slugs_search" ON "strandline"."former_slugs" USING btree ("search_id");