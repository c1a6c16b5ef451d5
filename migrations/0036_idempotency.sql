ALTER TABLE "strandline"."idempotency_keys" DROP CONSTRAINT "idempotency_keys_state";--> statement-breakpoint
ALTER TABLE "strandline"."idempotency_keys" DROP COLUMN "fence";--> statement-breakpoint
ALTER TABLE "strandline"."idempotency_keys" DROP COLUMN "lease_until";--> statement-breakpoint
ALTER TABLE "strandline"."idempotency_keys" DROP COLUMN "committed";--> statement-breakpoint
ALTER TABLE "strandline"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_reply" CHECK (("strandline"."idempotency_keys"."status" is null) = ("strandline"."idempotency_keys"."reply" is null));