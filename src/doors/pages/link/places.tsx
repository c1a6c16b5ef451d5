/** Who had a link first, and where it stood since. */
import type { LinkRank, LinkSourceRow } from '../../../store/reads/link-places.ts';
import { lengthOf } from '../detail/units.ts';
import { Badge } from '../kit/badge.tsx';
import { Chart } from '../kit/chart.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

export function Finders({ rows }: { rows: readonly LinkSourceRow[] }) {
  return (
    <Section
      title="Who had it first"
      id="first"
      note="A link is seen when a search runs, so that a lead is no finer than the intervals of the two. What a first look finds may have been there for long: over it no lead is given."
    >
      {rows.length === 0 ? (
        <Empty words="No search returned it: it was only cited, or stood in a list of a completion." />
      ) : (
        <Table
          caption="Searches that found this link, in the order in which they did"
          rows={rows}
          columns={[
            { head: <span class="unseen">Order</span>, cell: ({ nth }) => `${nth}.`, number: true },
            { head: 'Search', cell: ({ search }) => <a href={`/searches/${search}`}>{search}</a> },
            { head: 'Group of the answer', cell: ({ source }) => source.replaceAll('_', ' ') },
            { head: 'First seen', cell: ({ first_seen_at }) => <When at={first_seen_at} exact /> },
            {
              head: 'Ahead of the next by',
              cell: ({ lead_seconds: lead }) => (lead === null ? '' : lengthOf(lead)),
              number: true,
            },
            {
              head: 'By run',
              cell: ({ first_run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>,
              number: true,
              wide: true,
            },
            {
              head: <span class="unseen">Baseline</span>,
              cell: ({ baseline }) =>
                baseline === true ? <Badge state="baseline" words="first look" /> : '',
            },
          ]}
        />
      )}
    </Section>
  );
}

/** The series of a chart are as many as can be told apart. */
const MOST_LINES = 4;

/** Its place in each answer. A search's line breaks where an answer did not hold it. */
export function Places({ rows }: { rows: readonly LinkRank[] }) {
  const searches = [...new Set(rows.filter(({ place }) => place !== null).map(({ search }) => search))];
  if (searches.length === 0) return null;
  const drawn = rows.filter(({ search }) => searches.slice(0, MOST_LINES).includes(search));
  const found = rows.filter(({ place }) => place !== null).toReversed();
  return (
    <Section
      title="Where it stood"
      id="places"
      note="Its place among all links of an answer, 1 is the first: a low line is a high place. Of each of the first ten searches, its newest 100 answers are looked at; a gap is an answer without it."
    >
      {searches.slice(0, MOST_LINES).map((search) => {
        const mine = drawn.filter((row) => row.search === search);
        // One place is no course; the table below says it.
        return mine.length < 2 ? null : (
          <Chart
            caption={`Place of this link in the answers to ${search}`}
            at={mine.map(({ observed_at }) => observed_at)}
            seconds={0}
            series={[{ name: search, values: mine.map(({ place }) => place) }]}
            unit="place"
            kind="lines"
          />
        );
      })}
      <details>
        <summary>The runs and its place in each</summary>
        <Table
          caption="Runs that returned this link"
          rows={found.slice(0, 200)}
          columns={[
            { head: 'Run', cell: ({ run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
            { head: 'Search', cell: ({ search }) => search },
            { head: 'When', cell: ({ observed_at }) => <When at={observed_at} exact /> },
            { head: 'Group', cell: ({ source }) => source?.replaceAll('_', ' ') ?? '' },
            { head: 'Place in it', cell: ({ rank }) => rank, number: true },
            { head: 'Place in all', cell: ({ place }) => place, number: true },
          ]}
        />
      </details>
    </Section>
  );
}
