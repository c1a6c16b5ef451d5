/** Chooses the range of the overview. */
import { formatLocalTime } from '../lists/list-range.ts';
import { Field } from '../components/form.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Tabs } from '../components/section.tsx';
import { OVERVIEW_RANGES, type OverviewRange, type OverviewRangeName } from './overview-range.ts';

const WORDS: Readonly<Record<OverviewRangeName, string>> = {
  visit: 'Since I was here',
  evening: 'Since yesterday, 18:00',
  '7d': '7 days',
};

/** @param props.hasVisit whether an earlier visit is known @param props.write the address of this page with another range */
export function RangeTabs({
  range,
  hasVisit,
  write,
  kept,
}: {
  range: OverviewRange;
  hasVisit: boolean;
  write: (name: OverviewRangeName) => string;
  /** Other parameters of the address. */
  kept: Readonly<Record<string, string | undefined>>;
}) {
  const { now, zone } = useFrame();
  return (
    <>
      <Tabs
        label="Range"
        tabs={OVERVIEW_RANGES.filter((name) => name !== 'visit' || hasVisit).map((name) => ({
          href: write(name),
          words: WORDS[name],
          here: name === range.name,
        }))}
      />
      <details class="menu own-range">
        <summary class={range.name === null ? 'is-here' : undefined}>From, to</summary>
        <form class="menu-list form" method="get" action="/">
          {Object.entries(kept).map(([name, value]) =>
            value === undefined ? null : <input type="hidden" name={name} value={value} />,
          )}
          <Field
            name="from"
            label="From"
            kind="datetime-local"
            value={formatLocalTime(toMinute(range.from), zone)}
          />
          <Field
            name="to"
            label="To"
            kind="datetime-local"
            value={range.until === null ? undefined : formatLocalTime(toMinute(range.until), zone)}
            help={`Empty: up to now, ${formatLocalTime(toMinute(now), zone).slice(-5)}.`}
          />
          <button class="main">Show</button>
        </form>
      </details>
    </>
  );
}

const toMinute = (at: Date) => new Date(Math.floor(at.getTime() / 60_000) * 60_000);
