/** Operations on the audit log: who changed what. */
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../../model/audit.ts';
import { InvalidInput } from '../../model/errors.ts';
import { idParam, textParam } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { defineRow } from '../../store/db/row-shapes.ts';
import { readAudit } from '../../store/queries/audit-log.ts';
import { pastTime, TIME_EXAMPLES } from '../common-inputs.ts';
import { commandWords, declareOperation } from '../operation.ts';

const auditFilter = z.strictObject({
  token: z
    .string()
    .regex(/^[0-9A-Za-z]{8}$/, 'the eight characters that identify a token')
    .optional()
    .meta({ description: 'Only changes by this token, including its sessions.', examples: ['jvg0Pptl'] })
    .register(commandWords, { help: 'only changes made with this token (its prefix)' }),
  subject: textParam(100)
    .min(1)
    .optional()
    .meta({
      description: 'Only changes of the object with this slug, id or name.',
      examples: ['harbour-ferry'],
    })
    .register(commandWords, { value: 'name' }),
  action: z
    .enum(AUDIT_ACTIONS)
    .optional()
    .describe('Only this action.')
    .register(commandWords, { help: 'only this action, such as search.updated' }),
  since: pastTime('Changed at or after this time.', `only changes since: ${TIME_EXAMPLES}`),
  until: pastTime('Changed before this time.', 'only changes before'),
});

export const AUDIT_OPERATIONS = [
  declareOperation({
    id: 'listAuditLog',
    route: 'GET /api/v1/audit-log',
    command: 'audit',
    tag: 'audit log',
    scope: 'admin',
    does: 'List audit log entries',
    more: 'Newest first. Each change of a topic, search, rule, channel, token or key, each manual run and each deleted author is one entry, committed together with the change. Entries are kept for `AUDIT_DAYS`.',
    input: auditFilter,
    output: defineRow('AuditEntry', 'audit_log'),
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id], shown: 50 },
    example: 'strandline audit --subject harbour-ferry-posts --since 7d',
    run: async ({ ctx, page: { limit, after } }, filter) => {
      const { since, until } = filter;
      if (since !== undefined && until !== undefined && since >= until)
        throw new InvalidInput([
          { path: 'until', given: until.toISOString(), expected: 'a time after since' },
        ]);
      return readAudit(ctx.db, filter, { limit, before: (after as [Id] | undefined)?.[0] }); // as `list` declares it
    },
  }),
];
