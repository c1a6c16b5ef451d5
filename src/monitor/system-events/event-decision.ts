/**
 * Decides, from the problems that a check sees now and those that are stored, which begin, last and end. Pure: what a problem is, the
 * status functions decide (`conditions.ts`).
 *
 * A problem begins when two checks in a row see it, and its evidence is more than one run. It ends when no check has seen it for five
 * minutes; twice as long each time that it begins again within a day, at most six hours. So a search that fails and works in turn is
 * one problem that lasts, and not fifty messages.
 */
import type { SystemEventKind, SystemEventOutcome } from '../../model/alerts.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { NewSystemEvent, SystemEvent } from '../../store/alerts/system-event-rows.ts';

/** A problem that a check sees. */
export type Condition = {
  kind: SystemEventKind;
  subject_key: string;
  subject: string;
  search_id: SystemEvent['search_id'];
  since: Date;
  /** Time of the newest evidence, such as a second failed run; null if the problem needs no second evidence. */
  evidence_at: Date | null;
  reason: string | null;
  advice: string | null;
};

/** Results of a check. */
export type Reading = {
  now: Date;
  /** When the last check ended; null: this is the first. */
  lastCheckAt: Date | null;
  conditions: readonly Condition[];
  /** Why a problem is not seen any more. */
  explainEnd: (event: SystemEvent) => SystemEventOutcome;
};

type EventChanges = {
  /** Noticed now. */
  noticed: NewSystemEvent[];
  /** With their new members: confirmed, seen again, not seen any more, or ended. */
  changed: SystemEvent[];
  /** Never confirmed. */
  dropped: SystemEvent['id'][];
};

/** Checks run every minute; the same job may run twice at once. */
const CONFIRM_MS = 30 * SECOND;
/** With one run as evidence, a problem is confirmed when it has lasted for this long. */
const SINGLE_EVIDENCE_MS = 30 * MINUTE;
/** After a pause of the checks, such as sleep of the machine, the first run of a search needs its time. */
const SILENCE_CONFIRM_MS = 10 * MINUTE;
const FIRST_QUIET_MS = 5 * MINUTE;
const MAX_QUIET_MS = 6 * HOUR;
/** A problem that returns within this time after its end is the same problem. */
export const RECURRENCE_MS = DAY;
/** If no check ran for longer, nothing is known about the time in between. */
const MAX_CHECK_PAUSE_MS = 10 * MINUTE;

/** @param stored problems that have not ended, and problems that ended within {@link RECURRENCE_MS} */
export function decideEvents(stored: readonly SystemEvent[], check: Reading): EventChanges {
  const { now, lastCheckAt, conditions } = check;
  const wasPaused = lastCheckAt === null || now.getTime() - lastCheckAt.getTime() > MAX_CHECK_PAUSE_MS;
  const open = stored.filter(({ until }) => until === null);
  const seen = new Map(conditions.map((condition) => [keyOf(condition), condition]));
  const known = new Set(open.map(keyOf));
  const changes: EventChanges = { noticed: [], changed: [], dropped: [] };
  for (const event of open) {
    const condition = seen.get(keyOf(event));
    const next =
      condition === undefined
        ? endIfQuiet(event, check, wasPaused)
        : confirmIfLasting(event, condition, now, wasPaused);
    if (next === null) changes.dropped.push(event.id);
    else if (isChanged(event, next)) changes.changed.push(next);
  }
  for (const condition of seen.values())
    if (!known.has(keyOf(condition))) changes.noticed.push(notice(condition, now, stored));
  return changes;
}

function keyOf({ kind, subject_key }: Pick<Condition, 'kind' | 'subject_key'>): string {
  return `${kind} ${subject_key}`;
}

function notice(condition: Condition, now: Date, stored: readonly SystemEvent[]): NewSystemEvent {
  const { evidence_at: _evidence, ...facts } = condition;
  const former = stored.findLast((event) => keyOf(event) === keyOf(condition));
  return {
    ...facts,
    noticed_at: now,
    opened_at: null,
    clear_since: null,
    until: null,
    outcome: null,
    recurrences: former === undefined ? 0 : former.recurrences + 1,
  };
}

function confirmIfLasting(
  event: SystemEvent,
  condition: Condition,
  now: Date,
  wasPaused: boolean,
): SystemEvent {
  const { subject, since, reason, advice } = condition;
  if (event.opened_at !== null) return { ...event, subject, reason, advice, clear_since: null };
  const noticed_at = wasPaused || event.noticed_at > now ? now : event.noticed_at;
  const isConfirmed =
    now.getTime() - noticed_at.getTime() >=
    (event.kind === 'search_silent' ? SILENCE_CONFIRM_MS : CONFIRM_MS);
  const opened_at = isConfirmed && hasEvidence(condition, now) ? now : null;
  return { ...event, subject, since, reason, advice, noticed_at, opened_at };
}

function hasEvidence({ since, evidence_at: evidence }: Condition, now: Date): boolean {
  return evidence === null || evidence > since || now.getTime() - since.getTime() >= SINGLE_EVIDENCE_MS;
}

/** @returns null: it was never confirmed */
function endIfQuiet(
  event: SystemEvent,
  { now, explainEnd }: Reading,
  wasPaused: boolean,
): SystemEvent | null {
  if (event.opened_at === null) return null;
  const outcome = explainEnd(event);
  const clear_since =
    event.clear_since === null || event.clear_since > now || wasPaused ? now : event.clear_since;
  const isDeliberate = outcome !== 'recovered' && outcome !== 'replaced';
  if (isDeliberate || now.getTime() - clear_since.getTime() >= findQuietMs(event))
    return { ...event, clear_since, until: clear_since, outcome };
  return { ...event, clear_since };
}

/** For how long no check may see a problem until it has ended. */
function findQuietMs({ recurrences }: SystemEvent): number {
  return Math.min(FIRST_QUIET_MS * 2 ** recurrences, MAX_QUIET_MS);
}

function isChanged(before: SystemEvent, after: SystemEvent): boolean {
  return (Object.keys(after) as (keyof SystemEvent)[]).some((name) => !isSame(before[name], after[name])); // keys of its type
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
