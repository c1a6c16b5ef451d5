/** One link: who found it first, its ranks, and who cites it. */

import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf, SearchLink } from '../components/scope-names.tsx';
import { awaitMembers } from '../../lib/await-members.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Context } from '../../monitor/context.ts';
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
import { describeKnownLink, type KnownLink, readKnownLinks } from '../../store/queries/named-posts.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { formatDuration } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { removeCitations } from '../../model/statements/cited-text.ts';
import { readPageTranslations, Translated, TranslationsOf } from '../components/translation.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { EvidenceLink } from './evidence-page.tsx';
import { ItemRelevance, ItemStories, readItemRelevance } from './item-stories.tsx';
import { readStoriesOfItem } from '../../store/queries/stories.ts';
import { requireKey } from '../request-input.ts';
import { z } from 'zod';

export function addLinkPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/links/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const id = requireKey('link', request.params.id);
      const link = await findById('link', id, readLink(ctx.db, id));
      const {
        known: all,
        addresses,
        sources,
        places,
        citing,
        posts,
        stories,
        relevance,
        translations,
      } = await readLinkData(ctx, link);
      const known = all.get(id);
      return renderPage(request, reply, {
        title: (describeKnownLink(known) ?? link.site).slice(0, 200),
        here: '/explore',
        charts: places.some(({ place }) => place !== null),
        above: 'Link',
        aside: <ItemRelevance kind="link" id={id} topics={relevance} />,
        body: (
          <TranslationsOf.Provider value={translations}>
            <AboutLink link={link} known={known} />
            <ItemStories stories={stories} />
            <LinkFinders rows={sources} />
            <LinkPlaces rows={places} />
            <CitingCompletions rows={citing} />
            <ContainingPosts rows={posts} />
            <LinkAddresses link={link} addresses={addresses} />
            <EvidenceLink kind="link" id={id} />
          </TranslationsOf.Provider>
        ),
      });
    },
  );
}

function readLinkData(
  { db, translator }: Pick<Context, 'db' | 'translator'>,
  { id, title, snippet }: LinkRow,
) {
  return awaitMembers({
    translations: readPageTranslations({ db, translator }, null, [title, snippet]),
    known: readKnownLinks(db, [id]),
    addresses: readLinkAddresses(db, id),
    stories: readStoriesOfItem(db, { kind: 'link', id }),
    relevance: readItemRelevance(db, { kind: 'link', id }),
    sources: readLinkSources(db, id),
    places: readLinkRanks(db, id),
    citing: readCiting(db, id),
    posts: readPostsWithLink(db, id),
  });
}

function AboutLink({ link, known }: { link: LinkRow; known: KnownLink | undefined }) {
  const { url, site, snippet, summary_description: summary } = link;
  const { post = null, title = null } = known ?? {};
  return (
    <Section title="Link" id="about">
      <p>
        <ExternalLink href={url} text={url} />
      </p>
      {post === null ? null : <PostCard post={post} />}
      {snippet === null ? null : (
        <p class="whole">
          <UntrustedText text={snippet} most={4_000} />
          <Translated text={snippet} most={4_000} />
        </p>
      )}
      <Facts
        label="About this link"
        facts={[
          [
            'Title',
            title !== null ? (
              <>
                <UntrustedText text={title} most={400} />
                <Translated text={title} most={400} />
              </>
            ) : post === null ? (
              'not reported'
            ) : null,
          ],
          ['Site', <UntrustedText text={site} most={120} />],
          [
            'Published',
            link.published_at === null ? 'not reported' : <Timestamp at={link.published_at} exact />,
          ],
          ['First seen', <Timestamp at={link.first_seen_at} exact />],
          ['Last changed', <Timestamp at={link.observed_at} exact />],
          ['Summary by the service', summary === null ? null : <UntrustedText text={summary} most={4_000} />],
        ]}
      />
    </Section>
  );
}

/** The searches that found it, in order. */
function LinkFinders({ rows }: { rows: readonly LinkSourceRow[] }) {
  return (
    <Section
      title="Found by"
      id="first"
      note="Leads are no finer than the search intervals. What was there at the start may be old, so it has no lead."
    >
      <Table
        empty="Not returned by any search: only cited by an answer or in a post."
        caption="Searches that found this link, in order"
        rows={rows}
        columns={[
          { head: <span class="unseen">Order</span>, cell: ({ nth }) => `${nth}.`, number: true },
          { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
          { head: 'Source', cell: ({ source }) => source.replaceAll('_', ' ') },
          { head: 'First seen', cell: ({ first_seen_at }) => <Timestamp at={first_seen_at} exact /> },
          {
            head: 'Lead over the next',
            cell: ({ lead_seconds: lead }) => (lead === null ? '' : formatDuration(lead)),
            number: true,
          },
          {
            head: 'Run',
            cell: ({ first_run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>,
            number: true,
            wide: true,
          },
          {
            head: <span class="unseen">There at the start</span>,
            cell: ({ baseline }) => (baseline === true ? <Badge state="baseline" /> : ''),
          },
        ]}
      />
    </Section>
  );
}

const MAX_LINES = 4;

/** Its rank in each response; the line of a search breaks where a response did not contain it. */
function LinkPlaces({ rows }: { rows: readonly LinkRank[] }) {
  const frame = useFrame();
  const searches = [...new Set(rows.filter(({ place }) => place !== null).map(({ search }) => search))];
  if (searches.length === 0) return null;
  const drawn = rows.filter(({ search }) => searches.slice(0, MAX_LINES).includes(search));
  const ranked = rows.filter(({ place }) => place !== null).toReversed();
  return (
    <Section
      title="Rank over time"
      id="places"
      note="Rank among all links of a response; 1 is the top, so lower is better. Gaps are responses without it. Covers the newest 100 responses of each of the first ten searches."
    >
      {searches.slice(0, MAX_LINES).map((search) => {
        const mine = drawn.filter((row) => row.search === search);
        // A single rank makes no line; the table has it.
        return mine.length < 2 ? null : (
          <Chart
            caption={`Rank of this link in responses to ${nameSearchOf(frame, search)}`}
            at={mine.map(({ observed_at }) => observed_at)}
            seconds={0}
            series={[{ name: nameSearchOf(frame, search), values: mine.map(({ place }) => place) }]}
            unit="rank"
            kind="lines"
          />
        );
      })}
      <details>
        <summary>Show runs</summary>
        <Table
          caption="Runs that returned this link"
          rows={ranked.slice(0, 200)}
          columns={[
            { head: 'Run', cell: ({ run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
            { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
            { head: 'When', cell: ({ observed_at }) => <Timestamp at={observed_at} exact /> },
            { head: 'Source', cell: ({ source }) => source?.replaceAll('_', ' ') ?? '' },
            { head: 'Rank in source', cell: ({ rank }) => rank, number: true },
            { head: 'Rank overall', cell: ({ place }) => place, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

function CitingCompletions({ rows }: { rows: readonly CitingRow[] }) {
  return (
    <Section title="Cited by answers" id="cited" note="Newest 20.">
      {rows.length === 0 ? (
        <EmptyState words="Not cited by any answer." />
      ) : (
        rows.map(({ run_id, search, observed_at, summary }) => (
          <div class="line is-completion">
            <span class="line-what">
              <a href={`/runs/${run_id}#completion`}>
                <UntrustedText text={removeCitations(summary ?? 'answer without a summary')} most={180} />
              </a>
            </span>
            <span class="line-more">
              <SearchLink slug={search} /> <Timestamp at={observed_at} />
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
      title="Posts with this link"
      id="posts"
      note="Newest 20 whose text contains one of the addresses below."
    >
      {rows.length === 0 ? (
        <EmptyState words="No stored post contains it." />
      ) : (
        rows.map((post) => <PostCard post={{ ...post, url: null }} />)
      )}
    </Section>
  );
}

function LinkAddresses({ link, addresses }: { link: LinkRow; addresses: readonly string[] }) {
  return (
    <Section
      title="Addresses"
      id="addresses"
      note="As returned. The first is the one with which it was first seen."
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
