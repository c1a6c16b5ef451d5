/**
 * The check of strandline itself: recurring work, once a minute, by one worker at a time. What begins and ends is written, and
 * put into messages of the rule `system`, in one transaction.
 */
import { HOUR, SECOND } from '../../lib/time.ts';
import { groupBy } from '../../lib/group-by.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import { lockRuleChannels, readChannelHealth } from '../../store/alerts/channel-rows.ts';
import { findRule, lockRule, type Rule } from '../../store/alerts/rule-rows.ts';
import {
  addEventsToDelivery,
  deleteSystemEvents,
  insertSystemEvents,
  listUntoldParts,
  type NewSystemEvent,
  readLastCheck,
  readSystemEvents,
  recordCheck,
  updateSystemEvents,
} from '../../store/alerts/system-event-rows.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import { readFailingTools } from '../../store/queries/run-tools.ts';
import { ownPresence, type Presence } from '../../platform/presence.ts';
import type { Context } from '../context.ts';
import { enqueueChannels } from '../alerts/enqueue-channels.ts';
import { findOrBeginDelivery } from '../alerts/gather-discoveries.ts';
import { readSearchStatuses } from '../status/search-status.ts';
import { readServiceBudgets, readWorkers } from '../status/status-facts.ts';
import { explainEnd, listConditions, type SystemReading } from './conditions.ts';
import { decideEvents, RECURRENCE_MS } from './event-decision.ts';

/** Shorter pauses are not reported: a restart, or a lid that was closed for a while. */
const MIN_REPORTED_PAUSE_MS = HOUR;
/** A worker that ends as asked may do so before or after the last check. */
const STOP_SPARE_MS = SECOND;

/** Reads how everything is, decides what begins and ends, and gathers what the rule `system` has not reported. */
export async function checkSystem(ctx: Context, presence: Presence = ownPresence): Promise<void> {
  const systemState = await readSystem(ctx);
  const { now } = systemState;
  const channelIds = await inTransaction(ctx.db, async (tx) => {
    const rule = await lockSystemRule(tx);
    const { checked_at: lastCheckAt, stopped_at } = await readLastCheck(tx);
    const stored = await readSystemEvents(tx, new Date(now.getTime() - RECURRENCE_MS));
    const { noticed, changed, dropped } = decideEvents(stored, {
      now,
      lastCheckAt,
      conditions: listConditions(systemState),
      explainEnd: (event) => explainEnd(event, systemState),
    });
    const pause = describePause({ lastCheckAt, stoppedAt: stopped_at, now }, presence);
    const paused = await insertSystemEvents(tx, pause === null ? [] : [pause.event]);
    const just = pause?.isUnexpected === true ? paused : [];
    await insertSystemEvents(tx, noticed);
    await updateSystemEvents(tx, changed);
    await deleteSystemEvents(tx, dropped);
    await recordCheck(tx, now);
    return rule.state === 'active' ? gatherUntold(tx, rule, just, now) : [];
  });
  await enqueueChannels(ctx, channelIds);
}

async function readSystem(ctx: Context): Promise<SystemReading> {
  const [searches, tools, channels, services, workers] = await Promise.all([
    readSearchStatuses(ctx),
    readFailingTools(ctx.db),
    readChannelHealth(ctx.db.pool),
    readServiceBudgets(ctx),
    readWorkers(ctx),
  ]);
  return { now: ctx.clock.now(), searches, tools, channels, services, workers };
}

/** Locks the channels of the rule, then the rule, as every change of a rule does: checks wait for each other here. */
async function lockSystemRule(tx: Transaction): Promise<Rule> {
  const known = await findRule(tx, SYSTEM_RULE);
  if (known !== null) await lockRuleChannels(tx, known.id);
  const rule = await lockRule(tx, SYSTEM_RULE);
  if (rule === null) throw new Error(`the rule ${SYSTEM_RULE} does not exist, although migrations create it`);
  return rule;
}

type Pause = { lastCheckAt: Date | null; stoppedAt: Date | null; now: Date };

/**
 * What no check saw, because no worker worked; null if there was no pause, or workers were asked to end. A machine that was asleep or
 * off is no problem: it is recorded, and no message reports it.
 */
function describePause(
  { lastCheckAt, stoppedAt, now }: Pause,
  presence: Presence,
): { event: NewSystemEvent; isUnexpected: boolean } | null {
  if (lastCheckAt === null || now.getTime() - lastCheckAt.getTime() < MIN_REPORTED_PAUSE_MS) return null;
  if (stoppedAt !== null && stoppedAt.getTime() >= lastCheckAt.getTime() - STOP_SPARE_MS) return null;
  const { reason, isUnexpected } = explainPause(lastCheckAt, now, presence);
  const event: NewSystemEvent = {
    kind: 'nothing_ran',
    subject_key: 'workers',
    subject: 'workers',
    search_id: null,
    since: lastCheckAt,
    noticed_at: now,
    opened_at: now,
    clear_since: now,
    until: now,
    outcome: 'recovered',
    recurrences: 0,
    reason,
    advice: null,
  };
  return { event, isUnexpected };
}

/** Why nothing ran, as this worker knows it. A process that did not run for most of the time was asleep with its machine. */
function explainPause(
  from: Date,
  now: Date,
  { startedAt, bootedAt, absentMs }: Presence,
): { reason: string; isUnexpected: boolean } {
  if (bootedAt > from) return { reason: 'the machine was off', isUnexpected: false };
  if (startedAt > from)
    return { reason: 'strandline was not running, and nobody had stopped it', isUnexpected: true };
  if (absentMs(from) > (now.getTime() - from.getTime()) / 2)
    return { reason: 'the machine was asleep', isUnexpected: false };
  return { reason: 'strandline was running, but could not work; see its log', isUnexpected: true };
}

/** Puts what is not reported yet into the waiting message of each channel, or into a new one. @returns the channels */
async function gatherUntold(tx: Transaction, rule: Rule, just: readonly Id[], now: Date): Promise<Id[]> {
  const untold = groupBy(
    await listUntoldParts(tx, { ruleId: rule.id, just }),
    ({ channel_id }) => channel_id,
  );
  for (const [channelId, parts] of untold) {
    const id = await findOrBeginDelivery(tx, { rule, channelId, now });
    await addEventsToDelivery(tx, { id, ruleId: rule.id, channelId }, parts);
  }
  return [...untold.keys()];
}
