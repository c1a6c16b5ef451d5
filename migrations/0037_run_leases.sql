-- A run is leased; a claim is a statement of a completion.
ALTER TABLE "strandline"."runs" RENAME COLUMN "claims" TO "leases";
