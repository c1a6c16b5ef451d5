-- A kind of channel says itself what it is given: its settings replace the one address that a webhook has. Which kinds there are
-- the program knows, so that a new one needs no migration.

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

-- The view reads `address`: it reads `target` from here on, and keeps its owner, its grants and what others built on it. Its file
-- is applied afterwards, as at every migration.
DO $$
BEGIN
  IF to_regclass('strandline_analytics.channels') IS NOT NULL THEN
    EXECUTE 'CREATE OR REPLACE VIEW strandline_analytics.channels AS
      SELECT c.id, c.slug, c.kind, c.target AS host, c.state, c.state_reason, c.state_since,
        (SELECT count(*) FROM strandline.rule_channels rc JOIN strandline.rules r ON r.id = rc.rule_id
          WHERE rc.channel_id = c.id AND r.archived_at IS NULL) AS rules,
        c.cursor AS judged_discovery_id,
        (SELECT count(*) FROM strandline.deliveries d
          WHERE d.channel_id = c.id AND d.state IN (''gathering'', ''pending'')) AS waiting,
        (SELECT count(*) FROM strandline.deliveries d WHERE d.channel_id = c.id AND d.state = ''dead'') AS dead,
        c.failures, c.failing_since, c.resting_until, c.last_delivered_at, c.former_until AS rotating_until,
        c.created_at, c.archived_at
      FROM strandline.channels c';
  END IF;
END $$;

ALTER TABLE strandline.channels
  ALTER COLUMN settings DROP DEFAULT,
  ALTER COLUMN target DROP DEFAULT,
  DROP COLUMN address;
