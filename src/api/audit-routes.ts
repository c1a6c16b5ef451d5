import { z } from 'zod';
import { InvalidInput } from '../model/errors.ts';
import { readAudit } from '../store/queries/audit-log.ts';
import { AUDIT_ACTIONS } from '../model/audit.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { textParam, timeParam } from '../model/value-shapes.ts';
import { defineRow } from '../store/db/row-shapes.ts';

const cursor = createIdCursor('audit-log');
const AuditEntry = defineRow('AuditEntry', 'audit_log');

export function auditRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/audit-log',
    operation({
      scope: 'admin',
      operationId: 'listAuditLog',
      summary: 'List audit log entries',
      description:
        'Newest first. Each change of a topic, search, rule, channel, token or key, each manual run and each deleted author ' +
        'is one entry, committed together with the change. Entries are kept for `AUDIT_DAYS`.',
      tags: ['audit log'],
      querystring: defineListQuery(cursor, {
        token: z
          .string()
          .regex(/^[0-9A-Za-z]{8}$/, 'the eight characters that identify a token')
          .optional()
          .meta({
            description: 'Only changes by this token, including its sessions.',
            examples: ['jvg0Pptl'],
          }),
        action: z.enum(AUDIT_ACTIONS).optional().describe('Only this action.'),
        subject: textParam(100)
          .min(1)
          .optional()
          .meta({
            description: 'Only changes of the object with this slug, id or name.',
            examples: ['harbour-ferry'],
          }),
        since: timeParam.optional().describe('Changed at or after this time.'),
        until: timeParam.optional().describe('Changed before this time.'),
      }),
      response: { 200: defineListReply(AuditEntry) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      if (filter.since !== undefined && filter.until !== undefined && filter.since >= filter.until)
        throw new InvalidInput([
          { path: 'until', given: filter.until.toISOString(), expected: 'a time after since' },
        ]);
      const rows = await readAudit(ctx.db, filter, { limit, before: after?.[0] });
      return reply(rows, ({ id }) => [id]);
    },
  );
}
