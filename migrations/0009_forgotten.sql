CREATE TABLE "strandline"."forgotten" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- Asked by every save, in its first statement. The lock, held until the save ends, is the shared side of the
-- one that forgetting takes alone: a save is over before somebody is forgotten, or begins after it and knows.
-- Volatile, so that its second statement sees what was committed while the first one waited.
CREATE FUNCTION "strandline"."any_forgotten"() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('strandline.forget'));
  RETURN EXISTS (SELECT FROM strandline.forgotten);
END
$$;
