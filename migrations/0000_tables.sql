-- Written by drizzle-kit from src/store/schema, then completed by hand where its language ends:
-- partitions of the snapshots, and room in pages for updates of counters (fill factor).
CREATE SCHEMA IF NOT EXISTS "strandline";
--> statement-breakpoint
CREATE TABLE "strandline"."completions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."completions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" bigint NOT NULL,
	"search_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"changed" boolean NOT NULL,
	"summary" text,
	"microblog_summary" text,
	"discussion_board_summary" text,
	"news_forum_summary" text,
	"text_chunks" text[],
	"completion_links" bigint[] NOT NULL,
	"search_completion_links" bigint[] NOT NULL,
	"miner_link_scores" jsonb,
	"warnings" jsonb NOT NULL,
	CONSTRAINT "completions_run_key" UNIQUE("run_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."discoveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."discoveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"thing" bigint NOT NULL,
	"baseline" boolean NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "discoveries_thing_key" UNIQUE("search_id","kind","thing"),
	CONSTRAINT "discoveries_kind" CHECK ("strandline"."discoveries"."kind" in ('post', 'link', 'completion', 'spike'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."key_items" (
	"completion_id" bigint NOT NULL,
	"list" text NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"url" text,
	"link_id" bigint,
	CONSTRAINT "key_items_completion_id_list_position_pk" PRIMARY KEY("completion_id","list","position")
);
--> statement-breakpoint
CREATE TABLE "strandline"."link_sightings" (
	"search_id" bigint NOT NULL,
	"link_id" bigint NOT NULL,
	"first_run_id" bigint NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"source" text NOT NULL,
	CONSTRAINT "link_sightings_search_id_link_id_pk" PRIMARY KEY("search_id","link_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."post_sightings" (
	"search_id" bigint NOT NULL,
	"post_id" bigint NOT NULL,
	"first_run_id" bigint NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"post_created_at" timestamp (3) with time zone,
	CONSTRAINT "post_sightings_search_id_post_id_pk" PRIMARY KEY("search_id","post_id")
);
--> statement-breakpoint
CREATE TABLE "strandline"."link_addresses" (
	"address" text NOT NULL,
	"link_id" bigint NOT NULL,
	CONSTRAINT "link_addresses_address_pk" PRIMARY KEY("address")
);
--> statement-breakpoint
CREATE TABLE "strandline"."links" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."links_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"canonical" text NOT NULL,
	"site" text NOT NULL,
	"title" text,
	"snippet" text,
	"summary_description" text,
	"with_metadata" boolean,
	"published_at" timestamp (3) with time zone,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "links_canonical_key" UNIQUE("canonical")
);
--> statement-breakpoint
CREATE TABLE "strandline"."author_snapshots" (
	"author_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"followers_count" bigint,
	"favourites_count" bigint,
	"listed_count" bigint,
	"media_count" bigint,
	"statuses_count" bigint,
	CONSTRAINT "author_snapshots_author_id_observed_at_pk" PRIMARY KEY("author_id","observed_at")
) PARTITION BY RANGE ("observed_at");
--> statement-breakpoint
CREATE TABLE "strandline"."authors" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."authors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"service_id" bigint NOT NULL,
	"followers_count" bigint,
	"favourites_count" bigint,
	"listed_count" bigint,
	"media_count" bigint,
	"statuses_count" bigint,
	"created_at" timestamp (3) with time zone,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"external_id" text NOT NULL,
	"username" text,
	"name" text,
	"url" text,
	"description" text,
	"location" text,
	"profile_image_url" text,
	"verified" boolean,
	"is_blue_verified" boolean,
	"can_dm" boolean,
	"can_media_tag" boolean,
	CONSTRAINT "authors_external_key" UNIQUE("service_id","external_id")
) WITH (fillfactor = 85);
--> statement-breakpoint
CREATE TABLE "strandline"."post_snapshots" (
	"post_id" bigint NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"reply_count" bigint,
	"repost_count" bigint,
	"like_count" bigint,
	"view_count" bigint,
	"quote_count" bigint,
	"impression_count" bigint,
	"bookmark_count" bigint,
	CONSTRAINT "post_snapshots_post_id_observed_at_pk" PRIMARY KEY("post_id","observed_at")
) PARTITION BY RANGE ("observed_at");
--> statement-breakpoint
CREATE TABLE "strandline"."posts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"service_id" bigint NOT NULL,
	"author_id" bigint,
	"reply_count" bigint,
	"repost_count" bigint,
	"like_count" bigint,
	"view_count" bigint,
	"quote_count" bigint,
	"impression_count" bigint,
	"bookmark_count" bigint,
	"created_at" timestamp (3) with time zone,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"external_id" text NOT NULL,
	"text" text NOT NULL,
	"url" text,
	"lang" text,
	"conversation_id" text,
	"in_reply_to_screen_name" text,
	"in_reply_to_status_id" text,
	"in_reply_to_user_id" text,
	"quoted_status_id" text,
	"reposted_status_id" text,
	"quote" text,
	"summary_description" text,
	"is_quote_post" boolean,
	"is_repost" boolean,
	"hashtags" text[] NOT NULL,
	"mentions" text[] NOT NULL,
	"urls" text[] NOT NULL,
	"media" jsonb NOT NULL,
	"entities" jsonb NOT NULL,
	CONSTRAINT "posts_external_key" UNIQUE("service_id","external_id")
) WITH (fillfactor = 85);
--> statement-breakpoint
CREATE TABLE "strandline"."answers" (
	"run_id" bigint NOT NULL,
	"n" integer NOT NULL,
	"http_status" integer NOT NULL,
	"content_type" text,
	"body" "bytea" NOT NULL,
	"sha256" "bytea" NOT NULL,
	"bytes" integer NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "answers_run_id_n_pk" PRIMARY KEY("run_id","n")
);
--> statement-breakpoint
CREATE TABLE "strandline"."calls" (
	"run_id" bigint NOT NULL,
	"n" integer NOT NULL,
	"service_id" bigint NOT NULL,
	"fence" integer NOT NULL,
	"state" text NOT NULL,
	"http_status" integer,
	"code" text,
	"bytes" integer,
	"latency_ms" integer,
	"cost_usd" numeric(12, 6),
	"sent_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone,
	CONSTRAINT "calls_run_id_n_pk" PRIMARY KEY("run_id","n"),
	CONSTRAINT "calls_state" CHECK ("strandline"."calls"."state" in ('sent', 'received', 'failed', 'unknown'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."rejects" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."rejects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" bigint NOT NULL,
	"path" text NOT NULL,
	"code" text NOT NULL,
	"sample" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."run_results" (
	"run_id" bigint PRIMARY KEY NOT NULL,
	"post_ids" bigint[] NOT NULL,
	"link_ids" bigint[] NOT NULL,
	"link_sources" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"search_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"request_version" integer NOT NULL,
	"slot_at" timestamp (3) with time zone,
	"span_until" timestamp (3) with time zone,
	"span_slots" integer,
	"trigger" text NOT NULL,
	"status" text NOT NULL,
	"code" text,
	"reason" text,
	"not_before" timestamp (3) with time zone,
	"fence" integer DEFAULT 0 NOT NULL,
	"claims" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"worker" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"baseline" boolean DEFAULT false NOT NULL,
	"items_seen" integer,
	"items_new" integer,
	"rejected" integer,
	CONSTRAINT "runs_slot_key" UNIQUE("search_id","slot_at"),
	CONSTRAINT "runs_trigger" CHECK ("strandline"."runs"."trigger" in ('schedule', 'manual', 'first')),
	CONSTRAINT "runs_status" CHECK ("strandline"."runs"."status" in ('queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')),
	CONSTRAINT "runs_running" CHECK (("strandline"."runs"."status" = 'running') = ("strandline"."runs"."lease_until" is not null)),
	CONSTRAINT "runs_ended" CHECK (("strandline"."runs"."status" in ('queued', 'running')) = ("strandline"."runs"."ended_at" is null)),
	CONSTRAINT "runs_failed" CHECK (("strandline"."runs"."status" = 'failed') = ("strandline"."runs"."code" is not null)),
	CONSTRAINT "runs_skipped" CHECK ("strandline"."runs"."status" <> 'skipped' or "strandline"."runs"."reason" is not null),
	CONSTRAINT "runs_span" CHECK (("strandline"."runs"."span_until" is null) = ("strandline"."runs"."span_slots" is null))
);
--> statement-breakpoint
CREATE TABLE "strandline"."call_days" (
	"service_id" bigint NOT NULL,
	"day" date NOT NULL,
	"calls" integer NOT NULL,
	CONSTRAINT "call_days_service_id_day_pk" PRIMARY KEY("service_id","day")
);
--> statement-breakpoint
CREATE TABLE "strandline"."services" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."services_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"address" text,
	"dialect" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "services_name_key" UNIQUE("name"),
	CONSTRAINT "services_kind" CHECK ("strandline"."services"."kind" in ('sandbox', 'own', 'hosted'))
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_states" (
	"search_id" bigint NOT NULL,
	"began_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"state" text NOT NULL,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "strandline"."search_versions" (
	"search_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"request_version" integer NOT NULL,
	"prompt" text NOT NULL,
	"tools" text[] NOT NULL,
	"model" text NOT NULL,
	"date_filter" text,
	"streaming" boolean DEFAULT false NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"cron" text,
	"every_seconds" integer,
	"tz" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "search_versions_search_id_version_pk" PRIMARY KEY("search_id","version"),
	CONSTRAINT "search_versions_schedule" CHECK (("strandline"."search_versions"."cron" is null) <> ("strandline"."search_versions"."every_seconds" is null)),
	CONSTRAINT "search_versions_every" CHECK ("strandline"."search_versions"."every_seconds" >= 60)
);
--> statement-breakpoint
CREATE TABLE "strandline"."searches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."searches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"topic_id" bigint NOT NULL,
	"service_id" bigint NOT NULL,
	"slug" text NOT NULL,
	"operation" text NOT NULL,
	"version" integer NOT NULL,
	"labels" text[] NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"state_since" timestamp (3) with time zone NOT NULL,
	"next_due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	CONSTRAINT "searches_slug_key" UNIQUE("slug"),
	CONSTRAINT "searches_operation" CHECK ("strandline"."searches"."operation" in ('ai', 'microblog')),
	CONSTRAINT "searches_state" CHECK ("strandline"."searches"."state" in ('active', 'paused', 'broken', 'capped')),
	CONSTRAINT "searches_slug" CHECK ("strandline"."searches"."slug" ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
--> statement-breakpoint
CREATE TABLE "strandline"."topics" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."topics_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"sample" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	CONSTRAINT "topics_slug_key" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "strandline"."facts" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strandline"."tokens" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strandline"."tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"prefix" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "tokens_prefix_key" UNIQUE("prefix")
);
--> statement-breakpoint
CREATE TABLE "strandline"."workers" (
	"name" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"queue" text NOT NULL,
	"concurrency" integer NOT NULL,
	"skew_ms" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "strandline"."completions" ADD CONSTRAINT "completions_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."completions" ADD CONSTRAINT "completions_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."key_items" ADD CONSTRAINT "key_items_completion_id_completions_id_fk" FOREIGN KEY ("completion_id") REFERENCES "strandline"."completions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."link_addresses" ADD CONSTRAINT "link_addresses_link_id_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "strandline"."links"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."authors" ADD CONSTRAINT "authors_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."posts" ADD CONSTRAINT "posts_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."posts" ADD CONSTRAINT "posts_author_id_authors_id_fk" FOREIGN KEY ("author_id") REFERENCES "strandline"."authors"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."answers" ADD CONSTRAINT "answers_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."calls" ADD CONSTRAINT "calls_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."calls" ADD CONSTRAINT "calls_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."rejects" ADD CONSTRAINT "rejects_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."run_results" ADD CONSTRAINT "run_results_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "strandline"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."runs" ADD CONSTRAINT "runs_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."call_days" ADD CONSTRAINT "call_days_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."search_states" ADD CONSTRAINT "search_states_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."search_versions" ADD CONSTRAINT "search_versions_search_id_searches_id_fk" FOREIGN KEY ("search_id") REFERENCES "strandline"."searches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "strandline"."topics"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strandline"."searches" ADD CONSTRAINT "searches_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "strandline"."services"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "completions_search" ON "strandline"."completions" USING btree ("search_id","id");--> statement-breakpoint
CREATE INDEX "discoveries_run" ON "strandline"."discoveries" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "link_sightings_link" ON "strandline"."link_sightings" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "post_sightings_post" ON "strandline"."post_sightings" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "link_addresses_link" ON "strandline"."link_addresses" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "links_site" ON "strandline"."links" USING btree ("site");--> statement-breakpoint
CREATE INDEX "post_snapshots_observed" ON "strandline"."post_snapshots" USING brin ("observed_at");--> statement-breakpoint
CREATE INDEX "posts_author" ON "strandline"."posts" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "posts_created" ON "strandline"."posts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "answers_received" ON "strandline"."answers" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "calls_service" ON "strandline"."calls" USING btree ("service_id","sent_at");--> statement-breakpoint
CREATE INDEX "rejects_run" ON "strandline"."rejects" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_one_running" ON "strandline"."runs" USING btree ("search_id") WHERE "strandline"."runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "runs_open" ON "strandline"."runs" USING btree ("search_id") WHERE "strandline"."runs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "runs_search" ON "strandline"."runs" USING btree ("search_id","id");--> statement-breakpoint
CREATE INDEX "search_states_search" ON "strandline"."search_states" USING btree ("search_id","began_at");--> statement-breakpoint
CREATE INDEX "searches_topic" ON "strandline"."searches" USING btree ("topic_id");--> statement-breakpoint
CREATE INDEX "searches_due" ON "strandline"."searches" USING btree ("next_due_at") WHERE "strandline"."searches"."next_due_at" is not null;