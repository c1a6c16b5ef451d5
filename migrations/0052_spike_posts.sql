ALTER TABLE "strandline"."spikes" DROP CONSTRAINT "spikes_reason";--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" DROP CONSTRAINT "trend_states_reason";--> statement-breakpoint
ALTER TABLE "strandline"."spikes" ADD CONSTRAINT "spikes_reason" CHECK ("strandline"."spikes"."reason" in ('text', 'author', 'domain', 'hashtag', 'word', 'post', 'none'));--> statement-breakpoint
ALTER TABLE "strandline"."trend_states" ADD CONSTRAINT "trend_states_reason" CHECK ("strandline"."trend_states"."reason" in ('text', 'author', 'domain', 'hashtag', 'word', 'post', 'none', 'service'));