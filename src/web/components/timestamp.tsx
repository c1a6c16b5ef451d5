import { formatFullTime, formatMinute } from '../../lib/display-format.ts';
import { findEarliest } from '../../lib/time.ts';
import { Stat } from './fact-list.tsx';
import { useFrame } from './page-frame.tsx';

/**
 * A relative time ("3 min ago"), or an absolute one ("21 Nov, 14:05", with its year unless that is the present one) if `exact`. The tooltip has the full time with
 * its zone.
 */
export function Timestamp({
  at,
  exact = false,
  never = 'never',
}: {
  at: Date | null;
  exact?: boolean;
  never?: string;
}) {
  const frame = useFrame();
  if (at === null) return <span class="unknown">{never}</span>;
  return (
    <time dateTime={at.toISOString()} title={formatFullTime(at, frame.zone)}>
      {exact ? formatMinute(at, frame) : formatRelativeTime(at, frame.now)}
    </time>
  );
}

const RELATIVE_UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const RELATIVE_FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `3 min ago`, `in 2 hr`: Intl adds periods, which are removed. */
function formatRelativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  for (const [unit, size] of RELATIVE_UNITS)
    if (Math.abs(seconds) >= size)
      return RELATIVE_FORMAT.format(Math.round(seconds / size), unit).replaceAll('.', '');
  return seconds > 0 ? 'in a moment' : 'just now';
}

/** When a search is due; shown as late if no worker has started it. */
export function DueTime({ at }: { at: Date | null }) {
  const { now } = useFrame();
  if (at !== null && at.getTime() < now.getTime() - DUE_GRACE_MS)
    return (
      <span class="late">
        due <Timestamp at={at} />
      </span>
    );
  return <Timestamp at={at} never="none" />;
}

/** With a worker, a due search runs within seconds; after this it is shown as late. */
const DUE_GRACE_MS = 90_000;

/** The earliest of the times at which searches are due. */
export function NextRun({ due }: { due: readonly (Date | null)[] }) {
  const next = findEarliest(due);
  return (
    <Stat
      name="Next run"
      value={<DueTime at={next} />}
      note={next === null ? 'no active searches' : <Timestamp at={next} exact />}
    />
  );
}
