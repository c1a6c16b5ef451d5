/** One link: who had it first, at which place, and who cites it. */

import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Database, Id } from '../../store/database.ts';
import {
  type Citing as CitingRow,
  type LinkRank,
  type LinkRow,
  type LinkSourceRow,
  type PostWithLink,
  readCiting,
  readLink,
  readLinkAddresses,
  readLinkRanks,
  readLinkSources,
  readPostsWithLink,
} from '../../store/queries/links.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { formatDuration } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, removeCitations, UntrustedText } from '../components/untrusted-text.tsx';
import { createNotFound, requireKey } from '../request-input.ts';
import { z } from 'zod';

export function addLinkPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/links/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const { id: idText } = request.params;
      const id = requireKey('link', idText);
      const link = await readLink(ctx.db, id);
      if (link === undefined) throw createNotFound('link', idText);
      const { addresses, sources, places, citing, posts } = await readLinkData(ctx.db, id);
      return renderPage(request, reply, {
        title: (link.title ?? link.site).slice(0, 200),
        here: '/explore',
        charts: places.some(({ place }) => place !== null),
        above: 'Link',
        body: (
          <>
            <AboutLink link={link} />
            <LinkFinders rows={sources} />
            <LinkPlaces rows={places} />
            <CitingCompletions rows={citing} />
            <ContainingPosts rows={posts} />
            <LinkAddresses link={link} addresses={addresses} />
          </>
        ),
      });
    },
  );
}

async function readLinkData(db: Database, id: Id) {
  const [addresses, sources, places, citing, posts] = await Promise.all([
    readLinkAddresses(db, id),
    readLinkSources(db, id),
    readLinkRanks(db, id),
    readCiting(db, id),
    readPostsWithLink(db, id),
  ]);
  return { addresses, sources, places, citing, posts };
}

function AboutLink({ link }: { link: LinkRow }) {
  const { url, site, title, snippet, summary_description: summary } = link;
  return (
    <Section title="What it is" id="about">
      <p>
        <ExternalLink href={url} text={url} />
      </p>
      {snippet === null ? null : (
        <p class="whole">
          <UntrustedText text={snippet} most={4_000} />
        </p>
      )}
      <Facts
        label="About this link"
        facts={[
          ['Title', title === null ? 'never given' : <UntrustedText text={title} most={400} />],
          ['Site', <UntrustedText text={site} most={120} />],
          ['Published', link.published_at === null ? 'not said' : <Timestamp at={link.published_at} exact />],
          ['First seen by any search', <Timestamp at={link.first_seen_at} exact />],
          ['Last change seen', <Timestamp at={link.observed_at} exact />],
          ['Summary by the service', summary === null ? null : <UntrustedText text={summary} most={4_000} />],
        ]}
      />
    </Section>
  );
}

/** Which searches had it, the first one first. */
function LinkFinders({ rows }: { rows: readonly LinkSourceRow[] }) {
  return (
    <Section
      title="Who had it first"
      id="first"
      note="A link is seen when a search runs, so that a lead is no finer than the intervals of the two. What a first look finds may have been there for long: over it no lead is given."
    >
      {rows.length === 0 ? (
        <EmptyState words="No search returned it: it was only cited, or stood in a list of a completion." />
      ) : (
        <Table
          caption="Searches that found this link, in the order in which they did"
          rows={rows}
          columns={[
            { head: <span class="unseen">Order</span>, cell: ({ nth }) => `${nth}.`, number: true },
            { head: 'Search', cell: ({ search }) => <a href={`/searches/${search}`}>{search}</a> },
            { head: 'Group of the answer', cell: ({ source }) => source.replaceAll('_', ' ') },
            { head: 'First seen', cell: ({ first_seen_at }) => <Timestamp at={first_seen_at} exact /> },
            {
              head: 'Ahead of the next by',
              cell: ({ lead_seconds: lead }) => (lead === null ? '' : formatDuration(lead)),
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
const MAX_LINES = 4;

/** Its place in each answer. A search's line breaks where an answer did not hold it. */
function LinkPlaces({ rows }: { rows: readonly LinkRank[] }) {
  const searches = [...new Set(rows.filter(({ place }) => place !== null).map(({ search }) => search))];
  if (searches.length === 0) return null;
  const drawn = rows.filter(({ search }) => searches.slice(0, MAX_LINES).includes(search));
  const found = rows.filter(({ place }) => place !== null).toReversed();
  return (
    <Section
      title="Where it stood"
      id="places"
      note="Its place among all links of an answer, 1 is the first: a low line is a high place. Of each of the first ten searches, its newest 100 answers are looked at; a gap is an answer without it."
    >
      {searches.slice(0, MAX_LINES).map((search) => {
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
            { head: 'When', cell: ({ observed_at }) => <Timestamp at={observed_at} exact /> },
            { head: 'Group', cell: ({ source }) => source?.replaceAll('_', ' ') ?? '' },
            { head: 'Place in it', cell: ({ rank }) => rank, number: true },
            { head: 'Place in all', cell: ({ place }) => place, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

function CitingCompletions({ rows }: { rows: readonly CitingRow[] }) {
  return (
    <Section title="Completions that cite it" id="cited" note="The newest twenty.">
      {rows.length === 0 ? (
        <EmptyState words="No completion cites it." />
      ) : (
        rows.map(({ run_id, search, topic, observed_at, summary }) => (
          <div class="line is-completion">
            <span class="line-what">
              <a href={`/runs/${run_id}#completion`}>
                <UntrustedText
                  text={removeCitations(summary ?? 'a completion without a summary')}
                  most={180}
                />
              </a>
            </span>
            <span class="line-more">
              <a href={`/searches/${search}`}>{`${topic} / ${search}`}</a> <Timestamp at={observed_at} />
            </span>
          </div>
        ))
      )}
    </Section>
  );
}

function ContainingPosts({ rows }: { rows: readonly PostWithLink[] }) {
  return (
    <Section
      title="Posts that contain it"
      id="posts"
      note="The newest twenty with one of its addresses in their text, as written; posts under another address of the same page are not among them."
    >
      {rows.length === 0 ? (
        <EmptyState words="No stored post has one of its addresses in its text." />
      ) : (
        rows.map((post) => <PostCard post={{ ...post, url: null }} />)
      )}
    </Section>
  );
}

function LinkAddresses({ link, addresses }: { link: LinkRow; addresses: readonly string[] }) {
  return (
    <Section
      title="Its addresses"
      id="addresses"
      note="The first is the canonical one, by which a link is known; the others are those under which answers gave it."
    >
      <ul class="plain addresses">
        {[link.url, ...addresses.filter((address) => address !== link.url)].map((address) => (
          <li>
            <ExternalLink href={address} text={address} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
