import { MAX_COMPARED_LINKS, type Lead } from '../../store/queries/first-finders.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Count, formatDuration } from '../components/numbers.tsx';
import { formatWhole } from '../../lib/display-format.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import type { Comparison } from './compare-data.ts';

/** Who found the same link first, and by how much. */
export function FirstFinders({ leads, shared, topics: chosen }: Comparison) {
  const between = (of: Lead['of']) => leads.filter((lead) => lead.of === of);
  return (
    <Section
      title="First to find links"
      id="leads"
      note={`The newest ${formatWhole(MAX_COMPARED_LINKS)} links found by these topics in this range. Leads are no finer than the search intervals. Counts and medians exclude links that were there when the later one started.`}
    >
      {leads.length === 0 ? (
        <EmptyState words="No links in common. Only AI searches find links." />
      ) : (
        <div class="columns">
          <LeadTable
            caption="Between topics"
            rows={between('topic')}
            describeSide={(slug) => findTopicName(chosen, slug)}
          />
          <LeadTable
            caption="Between sources"
            rows={between('source')}
            describeSide={(source) => source.replaceAll('_', ' ')}
          />
        </div>
      )}
      {shared.length === 0 ? null : (
        <>
          <h3>Links in several topics</h3>
          <Table
            caption="Links in several of these topics, newest first"
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
                head: 'Found by, in order',
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
  describeSide: (name: string) => string;
}) {
  return (
    <div>
      <h3>{caption}</h3>
      <Table
        empty="No links in common."
        caption={caption}
        rows={rows.slice(0, 30)}
        columns={[
          { head: 'Ahead', cell: ({ ahead }) => describeSide(ahead) },
          { head: 'Behind', cell: ({ behind }) => describeSide(behind) },
          { head: 'Links', cell: ({ links }) => <Count of={links} />, number: true },
          { head: 'Median lead', cell: ({ median_seconds: lead }) => formatDuration(lead), number: true },
        ]}
      />
    </div>
  );
}

function findTopicName(topics: readonly TopicRow[], slug: string): string {
  return topics.find((topic) => topic.slug === slug)?.name ?? slug;
}
