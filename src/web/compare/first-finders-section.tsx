import { MAX_COMPARED_LINKS, type Lead, type SharedLink } from '../../store/queries/first-finders.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Count, formatDuration } from '../components/numbers.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const WHOLE = new Intl.NumberFormat('en');

/** Who had the same link first, and by how long. */
export function FirstFinders({
  leads,
  shared,
  chosen,
}: {
  leads: readonly Lead[];
  shared: readonly SharedLink[];
  chosen: readonly TopicRow[];
}) {
  const between = (of: Lead['of']) => leads.filter((lead) => lead.of === of);
  return (
    <Section
      title="Who has links first"
      id="leads"
      note={`Of the newest ${WHOLE.format(MAX_COMPARED_LINKS)} links that searches of these topics found in this time. A link is seen when a search runs, so that a lead is no finer than the intervals; what the first look of the one behind found is not counted.`}
    >
      {leads.length === 0 ? (
        <EmptyState words="No link was found by two of them. Links are found by searches of operation AI." />
      ) : (
        <div class="columns">
          <LeadTable
            caption="Between topics"
            rows={between('topic')}
            describeSide={(slug) => findTopicName(chosen, slug)}
          />
          <LeadTable
            caption="Between groups of the answers"
            rows={between('source')}
            describeSide={(source) => source.replaceAll('_', ' ')}
          />
        </div>
      )}
      {shared.length === 0 ? null : (
        <>
          <h3>Links that several topics have</h3>
          <Table
            caption="Links that several of these topics have, the last to become common first"
            rows={shared}
            columns={[
              {
                head: 'Link',
                cell: ({ link_id, title, url }) => (
                  <a href={`/links/${link_id}`}>
                    <UntrustedText text={title ?? url} most={100} />
                  </a>
                ),
              },
              {
                head: 'First, then',
                cell: ({ topics }) => topics.map((slug) => findTopicName(chosen, slug)).join(', '),
              },
              {
                head: 'First seen',
                cell: ({ first_seen_at: at }) => <Timestamp at={at} exact />,
                wide: true,
              },
              { head: 'Ahead by', cell: ({ lead_seconds: lead }) => formatDuration(lead), number: true },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function LeadTable({
  caption,
  rows,
  describeSide,
}: {
  caption: string;
  rows: readonly Lead[];
  describeSide: (side: string) => string;
}) {
  return (
    <div>
      <h3>{caption}</h3>
      {rows.length === 0 ? (
        <EmptyState words="No link that two of them have." />
      ) : (
        <Table
          caption={caption}
          rows={rows.slice(0, 30)}
          columns={[
            { head: 'Ahead', cell: ({ ahead }) => describeSide(ahead) },
            { head: 'Behind', cell: ({ behind }) => describeSide(behind) },
            { head: 'Links', cell: ({ links }) => <Count of={links} />, number: true },
            { head: 'Median lead', cell: ({ median_seconds: lead }) => formatDuration(lead), number: true },
          ]}
        />
      )}
    </div>
  );
}

function findTopicName(topics: readonly TopicRow[], slug: string): string {
  return topics.find((one) => one.slug === slug)?.name ?? slug;
}
