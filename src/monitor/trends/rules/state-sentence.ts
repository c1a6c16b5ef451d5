/** Describes a stored state of a search in one sentence. */
import {
  formatLongDay,
  formatTenths,
  formatTimeOfDay,
  formatWeekday,
  nameZone,
} from '../../../domain/display-format.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import type { TrendState } from '../../../domain/enumerations.ts';

export type StateFacts = {
  state: TrendState;
  since: Date;
  at: Date;
  previous_state: TrendState | null;
  previous_since: Date | null;
  compared_since: Date | null;
  /** Posts a day. */
  rate_before: number | null;
  rate: number | null;
  observed_hours: number | null;
  expected: number | null;
  /** IANA name of the search's time zone. */
  tz: string;
};

/**
 * `Rising for 9 days: from about 40 to 95 posts a day.`, `Silent since Tuesday, 3 November, 14:00 UTC: no post in 26 hours, usually 84.`,
 * `Back to normal after 5 days.` Days are those of UTC.
 * @param zone of the times, for a reader
 */
export function composeStateSentence(facts: StateFacts, zone = facts.tz): string {
  const { state, since, at, rate_before, rate, observed_hours, expected } = facts;
  const [before, now] = [formatRate(rate_before ?? 0), formatRate(rate ?? 0)];
  switch (state) {
    case 'rising':
    case 'falling':
      return `${state === 'rising' ? 'Rising' : 'Falling'} for ${countDays(since, at)}: from about ${before} to ${now} posts a day.`;
    case 'new_level':
      return `New level since ${formatLongDay(since, 'UTC')}: about ${now} posts a day, ${(rate ?? 0) < (rate_before ?? 0) ? 'down' : 'up'} from ${before}.`;
    case 'silent': {
      const hours = Math.round(observed_hours ?? 0);
      return `Silent since ${formatTime(since, zone)}: no post in ${hours} hours, usually ${formatRate(expected ?? 0)}.`;
    }
    case 'normal':
      return composeEnd(facts, zone);
  }
}

function composeEnd(facts: StateFacts, zone: string): string {
  const { since, previous_state, previous_since, compared_since, rate_before, rate } = facts;
  const lasted = countDays(previous_since ?? since, since);
  // A changed query ends a silence without posts; days are compared from there on.
  if (previous_state === 'silent' && compared_since?.getTime() !== since.getTime())
    return `Back to normal after ${lasted} of silence: posts again since ${formatTime(since, zone)}.`;
  const name = previous_state === 'new_level' ? 'at a new level' : previous_state;
  if (rate === null)
    return `No longer known to be ${name}: the query was changed, or too little was observed.`;
  const [now, before] = [formatRate(rate), formatRate(rate_before ?? 0)];
  if (previous_state !== 'new_level')
    return `No longer ${name} after ${lasted}: about ${now} posts a day, ${before} before.`;
  return compared_since?.getTime() === previous_since?.getTime()
    ? `The new level is the usual one after ${lasted}: about ${now} posts a day, ${before} before.`
    : `Back to normal after ${lasted}: about ${now} posts a day, as before.`;
}

function countDays(since: Date, until: Date): string {
  const length = until.getTime() - since.getTime();
  const [n, unit] = length < DAY ? [Math.round(length / HOUR), 'hour'] : [Math.floor(length / DAY), 'day'];
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}

function formatTime(at: Date, zone: string): string {
  return `${formatWeekday(at, zone)}, ${formatLongDay(at, zone)}, ${formatTimeOfDay(at, zone)} ${nameZone(zone)}`;
}

/** Two digits: days vary. */
function formatRate(value: number): string {
  return formatTenths(Number(value.toPrecision(2)));
}
