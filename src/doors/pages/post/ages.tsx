import type { PostAtAgeRow } from '../../../store/reads/growth.ts';
import { Count, counted, Times } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';

/** A post beside others of the same age: those of each search, and those of its author. */
export function Ages({ rows }: { rows: readonly PostAtAgeRow[] }) {
  return (
    <Section
      title="At equal age"
      id="ages"
      note="Engagement is likes, reposts, replies and quotes together, at 1, 3, 8, 24 and 72 hours after it was written; the usual is the median at that age."
    >
      {rows.length === 0 ? (
        <Empty words="No search observed it close enough to one of these ages. A search that runs more often sees more of them." />
      ) : (
        <Table
          caption="Engagement at equal age"
          rows={rows}
          columns={[
            { head: 'Age', cell: ({ hours }) => `${hours} h`, number: true },
            { head: 'Search', cell: ({ search }) => <a href={`/searches/${search}`}>{search}</a> },
            { head: 'Engagement', cell: ({ engagement }) => <Rounded of={engagement} />, number: true },
            {
              head: 'Usual of the search',
              cell: (row) => <Rounded of={row.typical_engagement} />,
              number: true,
            },
            { head: 'Times', cell: (row) => <Times of={row.engagement_ratio} />, number: true },
            {
              head: 'Compared with',
              cell: (row) => counted(row.compared_with, 'post'),
              number: true,
              wide: true,
            },
            {
              head: 'Usual of the author',
              cell: (row) => <Rounded of={row.author_typical_engagement} />,
              number: true,
            },
            { head: 'Times', cell: (row) => <Times of={row.author_engagement_ratio} />, number: true },
            {
              head: 'Compared with',
              cell: (row) => counted(row.author_compared_with, 'post'),
              number: true,
              wide: true,
            },
          ]}
        />
      )}
    </Section>
  );
}

function Rounded({ of }: { of: number | null }) {
  return <Count of={of === null ? null : Math.round(of)} />;
}
