CREATE OR REPLACE VIEW strandline_analytics.audit_log AS
  select id, at, actor, token, name, action, split_part(action, '.', 1) as kind, subject, changes from strandline.audit_log;

COMMENT ON VIEW strandline_analytics.audit_log IS 'Who created, changed or removed what, one row per change. Written in the transaction of the change; kept for AUDIT_DAYS. About neither side: the same in both schemas. Secrets, keys and addresses of webhooks are not here.';
COMMENT ON COLUMN strandline_analytics.audit_log.id IS 'Key of the entry.';
COMMENT ON COLUMN strandline_analytics.audit_log.at IS 'When the entry was written (UTC), by the database''s clock.';
COMMENT ON COLUMN strandline_analytics.audit_log.actor IS 'Who changed it: token (a request with a token), session (a person who signed in with one), local (somebody on this machine while no token existed), command_line, or program (strandline itself, such as its sample topic).';
COMMENT ON COLUMN strandline_analytics.audit_log.token IS 'First eight characters of the token; null when none was used.';
COMMENT ON COLUMN strandline_analytics.audit_log.name IS 'Name of the token, account that ran the command, or component of the program; null for local.';
COMMENT ON COLUMN strandline_analytics.audit_log.action IS 'Kind of thing and change, such as topic.created or search.updated.';
COMMENT ON COLUMN strandline_analytics.audit_log.kind IS 'Kind of thing: the part of the action before the dot.';
COMMENT ON COLUMN strandline_analytics.audit_log.subject IS 'What was changed: slug of a topic, search, rule or channel; ID of a run, delivery or author; first eight characters of a token or key; null when there is only one.';
COMMENT ON COLUMN strandline_analytics.audit_log.changes IS 'Changed fields by name, with before and after where they had a value. Long values are truncated. Empty when the action says everything.';
