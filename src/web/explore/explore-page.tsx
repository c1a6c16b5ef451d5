/** Full-text search over all collected posts and links. */

import { nameCounted } from '../../domain/counters.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { assertFilterExists } from '../../monitor/topics/find-by-slug.ts';
import { DAY } from '../../domain/time.ts';
import { type ExcerptPiece, findText, MAX_HITS, type TextHit } from '../../store/archive/find-text.ts';
import { readArchiveSize } from '../../store/queries/system.ts';
import { Button, Field } from '../components/form.tsx';
import { Badge, Icon } from '../components/icons.tsx';
import { Count, formatCount, ShortCount } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { emptyField } from '../request-input.ts';
import { z } from 'zod';

const ITEM_KINDS = ['post', 'link'] as const;
const SPAN_NAMES = ['day', 'week', 'month', 'year'] as const;
/** Time ranges in days. */
const SPAN_DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

const MAX_SHOWN_HITS = 50;
const querystring = z.strictObject({
  q: z.string().max(400).optional(),
  topic: emptyField.or(z.string().max(64)).optional(),
  kind: emptyField.or(z.enum(ITEM_KINDS)).optional(),
  lang: emptyField.or(z.string().max(16)).optional(),
  within: emptyField.or(z.enum(SPAN_NAMES)).optional(),
});
type ExploreQuery = z.infer<typeof querystring>;

export function addExplorePage(app: App, { ctx }: RouteContext): void {
  app.get('/explore', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const query = request.query;
    const text = (query.q ?? '').trim();
    await assertFilterExists(ctx.db, { topic: query.topic });
    const find = () => {
      const leave = app.shares.finds.take(request);
      return findText(ctx.db, buildTextQuery(text, query, ctx.clock.now())).finally(leave);
    };
    const hits = text === '' ? [] : await find();
    const size = await readArchiveSize(ctx.db);
    return renderPage(request, reply, {
      title: 'Explore',
      here: '/explore',
      lead: (
        <>
          Full-text search over <Count of={size} unit={size === 1 ? 'post or link' : 'posts and links'} />.
        </>
      ),
      aside: <ExploreTabs here="/explore" />,
      body: (
        <>
          <ExploreFilterForm filter={query} />
          {text === '' ? <NoQuery size={size} /> : <HitList text={text} hits={hits} />}
        </>
      ),
    });
  });
}

function buildTextQuery(text: string, { topic, kind, lang, within }: ExploreQuery, now: Date) {
  const from = within === undefined ? undefined : new Date(now.getTime() - SPAN_DAYS[within] * DAY);
  return { text, topic, kind, lang, from, limit: Math.min(MAX_SHOWN_HITS, MAX_HITS) };
}

const EXPLORE_TABS = [
  { href: '/explore', words: 'Search', scope: 'read' },
  { href: '/explore/sql', words: 'SQL', scope: 'sql' },
] as const;

/** The tabs that the visitor may open; none if there is only one. */
export function ExploreTabs({ here }: { here: (typeof EXPLORE_TABS)[number]['href'] }) {
  const { visitor } = useFrame();
  const tabs = EXPLORE_TABS.filter(({ scope }) => hasScopes(visitor, scope));
  if (tabs.length < 2) return null;
  return <Tabs label="Explore" tabs={tabs.map((tab) => ({ ...tab, here: tab.href === here }))} />;
}

type ExploreFilter = {
  q?: string | undefined;
  topic?: string | undefined;
  kind?: string | undefined;
  lang?: string | undefined;
  within?: string | undefined;
};

function ExploreFilterForm({ filter }: { filter: ExploreFilter }) {
  const { topics } = useFrame();
  return (
    <form class="form inline" method="get" action="/explore" role="search" aria-label="Full-text search">
      <Field name="q" label="Words" kind="search" value={filter.q} placeholder="night ferry" path="words" />
      <Field
        name="topic"
        label="Topic"
        kind="select"
        value={filter.topic}
        options={[
          { value: '', words: 'all' },
          ...topics.map(({ slug, name }) => ({ value: slug, words: name })),
        ]}
      />
      <Field
        name="kind"
        label="Kind"
        kind="select"
        value={filter.kind}
        options={[
          { value: '', words: 'posts and links' },
          { value: 'post', words: 'posts' },
          { value: 'link', words: 'links' },
        ]}
      />
      <Field name="lang" label="Language of posts" value={filter.lang} placeholder="any (example: en)" />
      <Field
        name="within"
        label="From the last"
        kind="select"
        value={filter.within}
        options={[{ value: '', words: 'any time' }, ...SPAN_NAMES.map((value) => ({ value, words: value }))]}
      />
      <Button words="Search" kind="main" />
    </form>
  );
}

function NoQuery({ size }: { size: number }) {
  return size === 0 ? (
    <EmptyState
      words="Nothing to search yet. Posts and links are indexed a few seconds after a run finds them."
      todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
    />
  ) : (
    <EmptyState words="Matches any of the words; rare words rank higher. Other forms of a word match, too." />
  );
}

function HitList({ text, hits }: { text: string; hits: readonly TextHit[] }) {
  if (hits.length === 0)
    return (
      <Section title="No matches" id="hits">
        <EmptyState
          words="No text contains any of these words and passes the filters. New items are indexed within seconds."
          todo={{
            words: 'Watch these words',
            href: `/new?text=${encodeURIComponent(text)}`,
            scope: CREATE_TOPIC_SCOPES,
          }}
        />
      </Section>
    );
  const full = hits.length === MAX_SHOWN_HITS;
  const note = full ? 'By relevance; add words or a filter to narrow down.' : 'By relevance.';
  return (
    <Section
      title={full ? `Top ${MAX_SHOWN_HITS} matches` : formatCount(hits.length, 'match', 'matches')}
      id="hits"
      note={note}
    >
      <ol class="feed plain">
        {hits.map((hit) => (
          <li>
            <HitView hit={hit} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Searches named per match; the page of the item lists all. */
const MAX_FINDERS = 3;

/** A match with its words highlighted. */
function HitView({ hit }: { hit: TextHit }) {
  const { kind, post, link, at, found_by, sandbox } = hit;
  const place = post === null ? `/links/${link?.id}` : `/posts/${post.id}`;
  const name = post?.author_username ?? post?.author_name ?? null;
  return (
    <article class="hit">
      <p class="hit-head">
        <Icon name={kind} />
        {post !== null && post.author_id !== null ? (
          <a class="who" href={`/authors/${post.author_id}`}>
            <UntrustedText text={name === null ? 'unnamed' : `@${name}`} most={60} />
          </a>
        ) : null}
        {link === null ? null : (
          <a href={place}>
            {hit.title.length === 0 ? (
              <UntrustedText text={link.url} most={160} />
            ) : (
              <MarkedText parts={hit.title} />
            )}
          </a>
        )}
        {sandbox ? <Badge state="simulated" /> : null}
      </p>
      {hit.excerpt.length === 0 ? null : (
        <p class="hit-text">
          <MarkedText parts={hit.excerpt} />
        </p>
      )}
      <p class="line-more">
        <a href={place}>
          <Timestamp at={at} exact />
        </a>
        {post === null || post.like_count === null ? null : (
          <span>
            <ShortCount of={post.like_count} /> {nameCounted('like_count', post.like_count)}
          </span>
        )}
        {link === null ? null : <ExternalLink href={link.url} text={link.site} />}
        {found_by.slice(0, MAX_FINDERS).map(({ search, topic }) => (
          <a href={`/searches/${search}`}>{`${topic} / ${search}`}</a>
        ))}
        {found_by.length <= MAX_FINDERS ? null : <span>and {found_by.length - MAX_FINDERS} more</span>}
      </p>
    </article>
  );
}

function MarkedText({ parts }: { parts: readonly ExcerptPiece[] }) {
  return (
    <>
      {parts.map(({ text, match }) =>
        match ? (
          <mark>
            <UntrustedText text={text} />
          </mark>
        ) : (
          <UntrustedText text={text} />
        ),
      )}
    </>
  );
}
