import type { ContractView } from '../../../store/reads/contract-columns.ts';
import { Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';

/** Every view, and the columns of one of them. */
export function Reference({ views, chosen }: { views: readonly ContractView[]; chosen: string | undefined }) {
  const shown = views.find(({ view }) => view === chosen);
  return (
    <>
      {shown === undefined ? null : (
        <Section title={<code>{shown.view}</code>} id="view" note={shown.meaning}>
          <Table
            caption={`Columns of the view ${shown.view}`}
            rows={shown.columns}
            columns={[
              { head: 'Column', cell: ({ name }) => <code>{name}</code> },
              { head: 'Type', cell: ({ type }) => type },
              { head: 'What it is', cell: ({ meaning }) => meaning },
            ]}
          />
        </Section>
      )}
      <Section
        title="Views"
        id="views"
        note="Unknown is null and never zero. Times are UTC; time that nobody observed has no row or a coverage under 1."
      >
        <Table
          caption="Views of the SQL contract"
          rows={views}
          columns={[
            {
              head: 'View',
              cell: ({ view }) => (
                <a href={`/explore/sql?view=${view}#view`}>
                  <code>{view}</code>
                </a>
              ),
            },
            { head: 'What a row is', cell: ({ meaning }) => meaning },
            { head: 'Columns', cell: ({ columns }) => columns.length, number: true },
          ]}
        />
      </Section>
    </>
  );
}
