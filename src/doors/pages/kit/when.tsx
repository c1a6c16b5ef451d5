/** A moment as a person says it ("3 min ago"); its exact time, with the zone, in the title and for programs. */
export function When({ at, now }: { at: Date | null; now: Date }) {
  if (at === null) return <span class="unknown">never</span>;
  return (
    <time dateTime={at.toISOString()} title={`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`}>
      {spanBetween(at, now)}
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

function spanBetween(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return WORDS.format(Math.round(seconds / size), unit);
  return seconds > 0 ? 'in a moment' : 'just now';
}
