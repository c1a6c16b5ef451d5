-- One vector of a document holds its words as written, with the weight D, and its stems. The archive is filled again from the feed,
-- in the background: to merge the vectors here would lock the table for some seconds per 100,000 documents.
-- after views: `0022_one_kind` drops columns of these tables after views, too.
DROP TABLE "strandline"."archive_corpora" CASCADE;--> statement-breakpoint
DROP TABLE "strandline"."archive_lexemes" CASCADE;--> statement-breakpoint
TRUNCATE "strandline"."archive_documents";--> statement-breakpoint
UPDATE "strandline"."archive_progress" SET "discovery_id" = 0;--> statement-breakpoint
DROP INDEX "strandline"."archive_documents_exact";--> statement-breakpoint
ALTER TABLE "strandline"."archive_documents" DROP COLUMN "words";--> statement-breakpoint
ALTER TABLE "strandline"."archive_documents" DROP COLUMN "exact";
