-- A kind of channel says itself what it is given: its settings replace the one address that a webhook has. Which kinds there are
-- the program knows, so that a new one needs no migration.

DROP VIEW IF EXISTS strandline_analytics.channels;

ALTER TABLE strandline.channels
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN sealed_settings text,
  ADD COLUMN target text NOT NULL DEFAULT '',
  DROP CONSTRAINT channels_kind,
  ADD CONSTRAINT channels_kind CHECK (kind ~ '^[a-z][a-z0-9-]{0,62}$');

-- A channel that was removed keeps no address.
UPDATE strandline.channels SET
  settings = CASE WHEN archived_at IS NULL THEN jsonb_build_object('webhook', address) ELSE '{}' END,
  target = coalesce(substring(address from '^[a-z]+://([^/?#]+)'), '');

ALTER TABLE strandline.channels
  ALTER COLUMN settings DROP DEFAULT,
  ALTER COLUMN target DROP DEFAULT,
  DROP COLUMN address;
