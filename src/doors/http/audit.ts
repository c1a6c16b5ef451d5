import { z } from 'zod';
import { InvalidInput } from '../../errors.ts';
import { readAudit } from '../../store/reads/audit.ts';
import { AUDIT_ACTIONS } from '../../store/schema/analytics/audit.ts';
import type { App, WebHome } from '../routes.ts';
import { idCursor } from './cursor.ts';
import { givenText, givenTime } from './given.ts';
import { listOf, listQuery } from './listing.ts';
import { row } from './shapes.ts';

const cursor = idCursor('audit-log');
const AuditEntry = row('AuditEntry', 'audit_log');

export function auditRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/audit-log',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listAuditLog',
        summary: 'Who created, changed or removed what, the newest first',
        description:
          'Each change of a topic, search, rule, channel, token or key, each requested run and each author that was forgotten ' +
          'is one entry, written together with the change. Entries are kept for AUDIT_DAYS.',
        tags: ['audit log'],
        querystring: listQuery(cursor, {
          token: z
            .string()
            .regex(/^[0-9A-Za-z]{8}$/, 'the eight characters that name a token')
            .optional()
            .meta({ description: 'Only by this token, also in sessions.', examples: ['jvg0Pptl'] }),
          action: z.enum(AUDIT_ACTIONS).optional().describe('Only this kind of change.'),
          subject: givenText(100)
            .min(1)
            .optional()
            .meta({
              description: 'Only of the thing of this slug, id or name.',
              examples: ['harbour-ferry'],
            }),
          since: givenTime.optional().describe('Changed from here on.'),
          until: givenTime.optional().describe('Changed before this.'),
        }),
        response: { 200: listOf(AuditEntry) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      if (filter.since !== undefined && filter.until !== undefined && filter.since >= filter.until)
        throw new InvalidInput([
          { path: 'until', given: filter.until.toISOString(), expected: 'a time after since' },
        ]);
      const rows = await readAudit(ctx.db, filter, { limit: limit + 1, before: after?.[0] });
      return reply(rows, ({ id }) => [id]);
    },
  );
}
