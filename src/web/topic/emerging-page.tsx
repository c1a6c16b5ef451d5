/** What a topic began to speak of, day by day: names that more authors use than in the week before. */
import { formatPercent } from '../../lib/display-format.ts';
import { DAY } from '../../lib/time.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { USUAL_EMERGING_DAYS } from '../../monitor/trends/emerging-operations.ts';
import type { EmergingDay, EmergingRow } from '../../monitor/trends/read-emerging.ts';
import { Table } from '../components/data-table.tsx';
import { writeListPath } from '../components/list-address.ts';
import { formatCount } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, ScopeLinks, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { slugParams } from '../request-input.ts';

/** Of a day; the API has more. */
const MAX_NAMES = 8;
const MAX_NAME = 60;

export function addEmergingPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/topics/:slug/emerging',
    { config: { scope: 'read' }, schema: { params: slugParams } },
    async (request, reply) => {
      const { slug, name } = await findTopicRow(ctx.db, request.params.slug);
      const { readEmerging } = await import('../../monitor/trends/read-emerging.ts');
      const days = await readEmerging(ctx, slug, USUAL_EMERGING_DAYS);
      return renderPage(request, reply, {
        title: `Emerging in ${name}`,
        here: '',
        above: <ScopeLinks scope={{ topic: slug }} />,
        lead: 'Names, words, hashtags and domains that more authors of a day use than of the week before. Days of UTC; at most one in twenty is expected to be chance.',
        body:
          days.length === 0 ? (
            <EmptyState words="This topic has no microblog search, so there are no posts to compare." />
          ) : (
            days.map((day) => <DaySection topic={slug} day={day} />)
          ),
      });
    },
  );
}

function DaySection({
  topic,
  day: { day, posts, authors, compared_days, names },
}: {
  topic: string;
  day: EmergingDay;
}) {
  const date = day.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const path = writeListPath('posts', { topic }, { from: day, to: new Date(day.getTime() + DAY) });
  return (
    <Section
      title={new Intl.DateTimeFormat('en-GB', {
        day: 'numeric',
        month: 'long',
        weekday: 'long',
        timeZone: 'UTC',
      }).format(day)}
      id={`day-${date}`}
      aside={
        posts === null || authors === null ? null : (
          <a href={path}>
            {formatCount(posts, 'post')} of {formatCount(authors, 'author')} compared
          </a>
        )
      }
    >
      {names === null ? (
        <p class="unknown">
          {posts === null
            ? 'Not observed.'
            : 'The week before was not observed, so there is nothing to compare with.'}
        </p>
      ) : (
        <Table
          empty={`Nothing differs from ${compared_days === 7 ? 'the week before' : `the ${formatCount(compared_days, 'observed day')} of the week before`}.`}
          caption={`Emerging on ${date}`}
          rows={names.slice(0, MAX_NAMES)}
          columns={[
            { head: 'Name', cell: (row) => <Name topic={topic} row={row} /> },
            { head: 'Kind', wide: true, cell: ({ kind }) => kind },
            { head: 'Authors', number: true, cell: ({ authors: count }) => count },
            { head: 'Share', number: true, cell: ({ share }) => formatPercent(share) },
            { head: 'Week before', number: true, cell: ({ share_before }) => formatPercent(share_before) },
            {
              head: 'First post',
              cell: ({ first_post_id: id, first_post_at: at }) => (
                <a href={`/posts/${id}`}>
                  <Timestamp at={at} exact />
                </a>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Leads to the posts of the topic that have it. */
function Name({ topic, row: { kind, name } }: { topic: string; row: EmergingRow }) {
  const query = kind === 'hashtag' ? `#${name}` : kind === 'name' ? `"${name}"` : name;
  return (
    <a href={`/explore?topic=${topic}&q=${encodeURIComponent(query)}`}>
      <UntrustedText text={kind === 'hashtag' ? `#${name}` : name} most={MAX_NAME} />
    </a>
  );
}
