/** Operations on problems of strandline itself. */
import { z } from 'zod';
import { SYSTEM_EVENT_KINDS } from '../../model/alerts.ts';
import { idParam } from '../../model/value-shapes.ts';
import { readSystemEventRows } from '../../store/alerts/alert-queries.ts';
import type { Id } from '../../store/db/database.ts';
import { defineRow } from '../../store/db/row-shapes.ts';
import { declareOperation } from '../operation.ts';

export const SystemEvent = defineRow('SystemEvent', 'system_events');

export const PROBLEM_OPERATIONS = [
  declareOperation({
    id: 'listSystemEvents',
    route: 'GET /api/v1/system-events',
    does: 'List problems of strandline itself, newest first',
    more: 'Each with its beginning and its end: searches that fail, are stopped, silent or return nothing, sources, channels, workers, and the budget of calls. The rule `system` reports them.',
    tag: 'alerts',
    scope: 'read',
    input: z.strictObject({
      state: z.enum(['open', 'ended']).optional().describe('`open`: only problems that last.'),
      kind: z.enum(SYSTEM_EVENT_KINDS).optional().describe('Only problems of this kind.'),
    }),
    output: SystemEvent,
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id] },
    run: ({ ctx, page: { limit, after } }, { state, kind }) => {
      const before = (after as [Id] | undefined)?.[0]; // as `list` declares it
      const open = state === undefined ? undefined : state === 'open';
      return readSystemEventRows(ctx.db, { open, kind, before, limit });
    },
  }),
];
