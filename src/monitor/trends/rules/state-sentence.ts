/** Describes a stored state of a search in one sentence. */
import {
  type DateReader,
  formatDay,
  formatMinute,
  formatTenths,
  nameZone,
} from '../../../lib/display-format.ts';
import { DAY, HOUR } from '../../../lib/time.ts';
import type { TrendState } from '../../../model/enumerations.ts';

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
 * `Rising since 12 Nov 2026 (UTC): from about 40 to 95 posts a day within 9 days.`, `Silent since 3 Nov 2026, 14:00 UTC: no post in 26
 * observed hours, usually 84.`, `Back to normal after 5 days: about 40 posts a day, 42 before.` Days are those of UTC.
 * @param reader whose zone times are in (default: that of the search, at any time)
 */
export function composeStateSentence(
  facts: StateFacts,
  reader: DateReader = { zone: facts.tz, now: null },
): string {
  const { state, since, at, rate_before, rate, observed_hours, expected } = facts;
  const [before, now] = [formatRate(rate_before ?? 0), formatRate(rate ?? 0)];
  const day = `${formatDay(since, { ...reader, zone: 'UTC' })} (UTC)`;
  switch (state) {
    case 'rising':
    case 'falling':
      return `${state === 'rising' ? 'Rising' : 'Falling'} since ${day}: from about ${before} to ${now} posts a day within ${countTime(since, at)}.`;
    case 'new_level':
      return `New level since ${day}: about ${now} posts a day, ${(rate ?? 0) < (rate_before ?? 0) ? 'down' : 'up'} from ${before}.`;
    case 'silent': {
      const hours = Math.round(observed_hours ?? 0);
      return `Silent since ${formatTime(since, reader)}: no post in ${hours} observed hours, usually ${formatRate(expected ?? 0)}.`;
    }
    case 'normal':
      return composeEnd(facts, reader);
  }
}

function composeEnd(facts: StateFacts, reader: DateReader): string {
  const { since, previous_state, previous_since, compared_since, rate_before, rate } = facts;
  const lasted = countTime(previous_since ?? since, since);
  // A changed query ends a silence without posts; days are compared from there on.
  if (previous_state === 'silent' && compared_since?.getTime() !== since.getTime())
    return `Back to normal after ${lasted} of silence: posts again since ${formatTime(since, reader)}.`;
  const name = previous_state === 'new_level' ? 'at a new level' : previous_state;
  if (rate === null)
    return `No longer known to be ${name}: the query was changed, or too little was observed.`;
  const rates = `about ${formatRate(rate)} posts a day, ${formatRate(rate_before ?? 0)} before`;
  if (previous_state !== 'new_level') return `No longer ${name} after ${lasted}: ${rates}.`;
  return compared_since?.getTime() === previous_since?.getTime()
    ? `The new level is the usual one after ${lasted}: ${rates}.`
    : `Back to normal after ${lasted}: ${rates}.`;
}

function countTime(since: Date, until: Date): string {
  const length = until.getTime() - since.getTime();
  const [n, unit] = length < DAY ? [Math.round(length / HOUR), 'hour'] : [Math.floor(length / DAY), 'day'];
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}

function formatTime(at: Date, reader: DateReader): string {
  return `${formatMinute(at, reader)} ${nameZone(reader.zone)}`;
}

/** Two digits, at most one decimal: days vary. A rate that is not zero is not shown as zero. */
function formatRate(value: number): string {
  if (value > 0 && value < 0.05) return 'fewer than 0.1';
  // Rounded once: 0.145 is 0.1, although it is 0.15 in two digits.
  return formatTenths(value < 1 ? value : Number(value.toPrecision(2)));
}
