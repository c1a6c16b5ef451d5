/** Closed lists of the audit log, and what an entry says. Stored: only add to them. */

/** Who acts: a token, a session of a token, this machine without either, a command, or the program. */
export const ACTORS = ['token', 'session', 'local', 'command_line', 'program'] as const;

/** All recorded events: kind of object and event. */
export const AUDIT_ACTIONS = [
  'channel.secret_rotated',
  'run.requested',
  'run.replayed',
  'delivery.resent',
  'token.created',
  'token.rotated',
  'token.revoked',
  'feed.created',
  'feed.revoked',
  'share.created',
  'share.revoked',
  'view.saved',
  'view.removed',
  'service_key.created',
  'service_key.rotated',
  'service_key.revoked',
  'reader.rotated',
  'author.forgotten',
  'topic.purged',
  'topic.rewatched',
  'topic.sources_changed',
  'topic.names_changed',
  'topic.note_added',
  'topic.note_changed',
  'topic.note_removed',
  'topic.item_dismissed',
  'topic.item_restored',
  'search.purged',
  'searches.paused',
  'searches.resumed',
  ...(['muted', 'unmuted'] as const).flatMap(
    (done) => [`rule.${done}`, `topic.${done}`, `alerts.${done}`] as const,
  ),
  ...(['created', 'updated', 'paused', 'resumed', 'removed'] as const).flatMap(
    (done) => [`topic.${done}`, `search.${done}`, `rule.${done}`, `channel.${done}`] as const,
  ),
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** A field that changed. */
export type Change = { before?: unknown; after?: unknown };
