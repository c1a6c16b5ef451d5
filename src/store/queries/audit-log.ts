/** The audit log, for display. */
import { and, desc, eq, gte, lt, type SQL } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { auditLogView } from '../schema/analytics/audit-log-view.ts';

export type AuditRow = typeof auditLogView.real.$inferSelect;

export type AuditFilter = {
  /** Prefix of a token. */
  token?: string | undefined;
  action?: AuditRow['action'] | undefined;
  /** Slug, ID or name of the changed object. */
  subject?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** The newest entries first. @param page.before only entries with a smaller ID */
export async function readAudit(
  { orm }: Pick<Database, 'orm'>,
  filter: AuditFilter,
  page: { limit: number; before?: Id | undefined },
): Promise<AuditRow[]> {
  // The same in both schemas.
  const view = auditLogView.real;
  const wanted: (SQL | undefined)[] = [
    filter.token === undefined ? undefined : eq(view.token, filter.token),
    filter.action === undefined ? undefined : eq(view.action, filter.action),
    filter.subject === undefined ? undefined : eq(view.subject, filter.subject),
    filter.since === undefined ? undefined : gte(view.at, filter.since),
    filter.until === undefined ? undefined : lt(view.at, filter.until),
    page.before === undefined ? undefined : lt(view.id, page.before),
  ];
  return orm
    .select()
    .from(view)
    .where(and(...wanted))
    .orderBy(desc(view.id))
    .limit(page.limit);
}
