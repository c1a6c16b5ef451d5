/** How much of a response may fill up, so that the searches of a service together stay within its `CALLS_PER_DAY`. */
import { setImmediate } from 'node:timers/promises';
import { readCallsPerDay } from '../../config/config.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { readCallRoom } from '../../store/runs/call-limits.ts';
import { type Database, type Id, readTime } from '../../store/db/database.ts';
import { type PaceRow, readActivePaces } from '../../store/runs/pace.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Context } from '../context.ts';
import { countSlots, readSchedule, tryToRead } from './cadence.ts';
import { fitFill, fitInterval, limitCalls, planAhead } from './call-budget.ts';
import { USUAL_FILL } from './pace-interval.ts';
import { type Pace, toPace } from './pace.ts';
import type { AdaptiveSchedule, Schedule } from './schedule.ts';

/** How long the fill of a service stays as it is. */
const FILL_MS = 15 * MINUTE;

/** Fills by database and service. */
const fills = new WeakMap<Database, Map<Id, { fill: number; until: number }>>();

/** The fill of a service at this time; {@link USUAL_FILL} without a limit. */
export async function readServiceFill(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { id, kind }: { id: Id; kind: ServiceKind },
): Promise<number> {
  const callsPerDay = readCallsPerDay(ctx.config, kind);
  if (callsPerDay === null) return USUAL_FILL;
  const now = (await readTime(ctx.db.pool, ctx.clock)).getTime();
  const known = fills.get(ctx.db) ?? new Map<Id, { fill: number; until: number }>();
  fills.set(ctx.db, known);
  const last = known.get(id);
  if (last !== undefined && now < last.until && now > last.until - FILL_MS) return last.fill;
  const rooms = await readCallRoom(ctx.db.pool, ctx.config, { services: [{ id, kind }], clock: ctx.clock });
  const ahead = planAhead(callsPerDay, rooms.get(id)?.day ?? callsPerDay, now);
  const rows = await readActivePaces(ctx.db, { service: id });
  const { adaptive, others } = await sortPaces(rows, { ...ahead, config: ctx.config });
  const fill = fitFill(adaptive, { ...ahead, calls: Math.max(ahead.calls - others, 1) });
  known.set(id, { fill, until: now + FILL_MS });
  return fill;
}

type PacedSearch = AdaptiveSchedule & { pace: Pace };

/** Schedules whose slots are counted before other work gets a turn; each takes a tenth of a millisecond or less. */
const SCHEDULES_PER_TURN = 50;

/**
 * The adaptive microblog searches, with bounds that keep to their own calls per day; and the number of calls of all others in a
 * time, which does not depend on the rate of posts.
 * @param count the number of slots of a schedule in a time; called once for each distinct cron schedule
 */
export async function sortPaces(
  rows: readonly PaceRow[],
  { from, until, config }: { from: number; until: number; config: Parameters<typeof limitCalls>[0] },
  count: typeof countSlots = countSlots,
): Promise<{ adaptive: PacedSearch[]; others: number }> {
  const adaptive: PacedSearch[] = [];
  const fixed = new Map<string, { schedule: Schedule; searches: number }>();
  let others = 0;
  for (const row of rows) {
    const schedule = tryToRead(() => readSchedule(row));
    if (schedule === null) continue;
    if (schedule.kind === 'auto') {
      const leastMs = fitInterval(schedule.leastMs, limitCalls(config, row, schedule));
      const mostMs = Math.max(schedule.mostMs, leastMs);
      if (row.operation === 'microblog') adaptive.push({ pace: toPace(row), ...schedule, leastMs, mostMs });
      else {
        const everyMs = row.interval_seconds === null ? schedule.mostMs : row.interval_seconds * SECOND;
        others += (until - from) / Math.max(leastMs, everyMs);
      }
      continue;
    }
    const key = schedule.kind === 'cron' ? `${schedule.cron} ${schedule.tz}` : `${row.search_id}`;
    fixed.set(key, { schedule, searches: (fixed.get(key)?.searches ?? 0) + 1 });
  }
  let counted = 0;
  for (const { schedule, searches } of fixed.values()) {
    others += searches * (tryToRead(() => count(schedule, from, until)) ?? 0);
    counted += 1;
    if (counted % SCHEDULES_PER_TURN === 0) await setImmediate();
  }
  return { adaptive, others };
}
