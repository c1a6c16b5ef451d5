/** The audit log, for display. */
import { and, desc, lt } from 'drizzle-orm';
import type { Id, Orm } from '../db/database.ts';
import { auditLogView } from '../schema/analytics-views.ts';
import { equals, within } from './view-conditions.ts';

export type AuditRow = typeof auditLogView.$inferSelect;

type AuditFilter = {
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
  { orm }: Orm,
  filter: AuditFilter,
  page: { limit: number; before?: Id | undefined },
): Promise<AuditRow[]> {
  const view = auditLogView;
  const { token, action, subject } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        equals(view, { token, action, subject }),
        within(view.at, filter),
        page.before === undefined ? undefined : lt(view.id, page.before),
      ),
    )
    .orderBy(desc(view.id))
    .limit(page.limit);
}
