import { useFrame } from './frame.ts';
import { fullOf, minuteOf } from './zone.ts';

/**
 * A moment as a person says it ("3 min ago"), or where `exact` as the clock does ("21 Nov, 14:05"); its exact time,
 * with the zone, in the title and for programs.
 */
export function When({
  at,
  exact = false,
  never = 'never',
}: {
  at: Date | null;
  exact?: boolean;
  never?: string;
}) {
  const { now, zone } = useFrame();
  if (at === null) return <span class="unknown">{never}</span>;
  return (
    <time dateTime={at.toISOString()} title={fullOf(at, zone)}>
      {exact ? minuteOf(at, zone) : spanBetween(at, now)}
    </time>
  );
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `3 min. ago`, `in 2 hr.`; without the full stops of the abbreviations. */
export function spanBetween(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return WORDS.format(Math.round(seconds / size), unit).replaceAll('.', '');
  return seconds > 0 ? 'in a moment' : 'just now';
}

/** When a search is due; a time that has come says that nobody has taken it up yet. */
export function Due({ at }: { at: Date | null }) {
  const { now } = useFrame();
  if (at !== null && at.getTime() < now.getTime() - LATE_MS)
    return (
      <span class="late">
        due <When at={at} />
      </span>
    );
  return <When at={at} never="none" />;
}

/** A due search runs within seconds where a worker runs; one that is due for longer than this is shown as late. */
const LATE_MS = 90_000;
