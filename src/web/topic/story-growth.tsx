import { DAY, HOUR } from '../../lib/time.ts';
import type { StoryHourRow } from '../../store/queries/stories.ts';
import { Table } from '../components/data-table.tsx';
import { Section } from '../components/section.tsx';
import { Sparkline } from '../components/sparkline-svg.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** Hours that a page reads: a story grows for some days, and seldom longer. */
export const MAX_STORY_HOURS = 2_000;
/** A longer life is shown by day. */
const MAX_BY_HOUR_MS = 3 * DAY;
const MAX_ROWS = 72;

/** How a story grew, as a line and as a table. */
export function StoryGrowth({ hours }: { hours: readonly StoryHourRow[] }) {
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isByHour = last.hour.getTime() - first.hour.getTime() < MAX_BY_HOUR_MS;
  const step = isByHour ? HOUR : DAY;
  const startOf = (at: Date) => Math.floor(at.getTime() / step) * step;
  const counts = new Map<number, number>();
  for (const { hour, members } of hours)
    counts.set(startOf(hour), (counts.get(startOf(hour)) ?? 0) + members);
  const from = startOf(first.hour);
  const values = Array.from(
    { length: (startOf(last.hour) - from) / step + 1 },
    (_, i) => counts.get(from + i * step) ?? 0,
  );
  const unit = isByHour ? 'hour' : 'day (UTC)';
  return (
    <Section title="Growth" id="growth" note={`Posts and links that the topic found per ${unit}.`}>
      {values.length > 1 ? <Sparkline values={values} words={`Items found per ${unit}`} /> : null}
      <Table
        caption={`Items found per ${unit}`}
        rows={[...counts].slice(0, MAX_ROWS)}
        columns={[
          { head: isByHour ? 'Hour' : 'Day', cell: ([at]) => <Timestamp at={new Date(at)} exact /> },
          { head: 'Items', number: true, cell: ([, members]) => members },
        ]}
      />
      {counts.size > MAX_ROWS ? <p class="hint">{`The first ${MAX_ROWS} are listed.`}</p> : null}
    </Section>
  );
}
