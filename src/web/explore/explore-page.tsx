/** Full-text search over all collected posts and links. */

import { findScope } from '../../monitor/topics/find-by-slug.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { DAY } from '../../lib/time.ts';
import { collectProblems, type Problem } from '../../model/errors.ts';
import { parseFieldValue, writeFieldQuery } from '../../model/query-fields.ts';
import { EVERYTHING, parseQuery, type Query, requireAll } from '../../model/search-query.ts';
import {
  type ArchiveBacklog,
  catchUpArchive,
  describeBacklog,
  isArchiveEmpty,
} from '../../store/archive/index-archive.ts';
import { findText, type TextMatches } from '../../store/archive/find-text.ts';
import { DismissForm, HiddenSwitch } from '../components/dismiss-button.tsx';
import { Button, CheckedFields, Field, type FieldOption, TopicFilter } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { writeAddress, writeListPath } from '../components/list-address.ts';
import { CREATE_TOPIC_SCOPES, IfAllowed, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section, Tabs } from '../components/section.tsx';
import { emptyField } from '../request-input.ts';
import { HitView } from './text-hit.tsx';
import { z } from 'zod';

const ITEM_KINDS = ['post', 'link'] as const;
const SPAN_NAMES = ['day', 'week', 'month', 'year'] as const;
/** Time ranges in days. */
const SPAN_DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

const MAX_SHOWN_HITS = 50;
const querystring = z.strictObject({
  q: z.string().optional(),
  topic: emptyField.or(z.string().max(64)).optional(),
  kind: emptyField.or(z.enum(ITEM_KINDS)).optional(),
  lang: emptyField.or(z.string()).optional(),
  within: emptyField.or(z.enum(SPAN_NAMES)).optional(),
  after: z.string().max(80).optional(),
  /** What a person hides, instead of what is shown. */
  hidden: z.literal('yes').optional().catch(undefined),
});
type ExploreQuery = z.infer<typeof querystring>;

export function addExplorePage(app: App, { ctx }: RouteContext): void {
  app.get('/explore', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const filter = request.query;
    const scope = await findScope(ctx.db, { topic: filter.topic });
    const problems: Problem[] = [];
    const query = collectProblems(problems, () => buildQuery(filter, ctx.clock.now()), EVERYTHING);
    const find = async () => {
      const leave = app.shares.finds.take(request);
      try {
        const backlog = await catchUpArchive(ctx.db);
        const question = {
          ...scope,
          query,
          after: filter.after,
          isHidden: filter.hidden === 'yes',
          now: ctx.clock.now(),
          limit: MAX_SHOWN_HITS,
        };
        return { ...(await findText(ctx.db, question)), backlog };
      } finally {
        leave();
      }
    };
    const matches = query === EVERYTHING ? null : await find();
    const isEmpty = await isArchiveEmpty(ctx.db);
    return renderPage(request, reply, {
      title: 'Explore',
      status: problems.length === 0 ? 200 : 400,
      here: '/explore',
      feed: matches === null ? undefined : { topic: scope.topic, query: combineQuery(filter) },
      lead: 'Full-text search over all posts and links.',
      aside: <ExploreTabs here="/explore" />,
      body: (
        <>
          <ExploreFilterForm filter={filter} problems={problems} />
          {matches === null ? <NoQuery isEmpty={isEmpty} /> : <HitList filter={filter} matches={matches} />}
        </>
      ),
    });
  });
}

/** @throws InvalidInput */
function buildQuery({ q = '', kind, lang, within }: ExploreQuery, now: Date): Query {
  const written = parseQuery(q, 'words');
  if (written === EVERYTHING) return EVERYTHING;
  const from = within === undefined ? undefined : new Date(now.getTime() - SPAN_DAYS[within] * DAY);
  return requireAll([
    written,
    kind === undefined ? undefined : { is: 'is', value: kind },
    parseFieldValue('lang', lang),
    from === undefined ? undefined : { is: 'from', value: { at: from, date: false } },
  ]);
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

function ExploreFilterForm({ filter, problems }: { filter: ExploreQuery; problems: readonly Problem[] }) {
  return (
    <form class="form inline" method="get" action="/explore" role="search" aria-label="Full-text search">
      <CheckedFields problems={problems}>
        <Field
          name="q"
          label="Query"
          kind="search"
          value={filter.q}
          placeholder='"night ferry" -cancelled lang:en'
          path="words"
        />
        <TopicFilter chosen={filter.topic} />
        <Field
          name="kind"
          label="Kind"
          kind="select"
          value={filter.kind}
          options={[
            ['', 'posts and links'],
            ['post', 'posts'],
            ['link', 'links'],
          ]}
        />
        <Field name="lang" label="Language of posts" value={filter.lang} placeholder="any (example: en)" />
        <Field
          name="within"
          label="From the last"
          kind="select"
          value={filter.within}
          options={[['', 'any time'], ...SPAN_NAMES.map((name): FieldOption => [name, name])]}
        />
      </CheckedFields>
      <Button words="Search" kind="main" />
    </form>
  );
}

function NoQuery({ isEmpty }: { isEmpty: boolean }) {
  return isEmpty ? (
    <EmptyState
      words="Nothing to search yet. Posts and links are indexed a few seconds after a run finds them."
      todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
    />
  ) : (
    <EmptyState words='All words must match, in any form. Also: "exact phrase", -excluded, OR, #hashtag, author:, domain:, lang:, source:, from:, to:, min-engagement:, is:repost.' />
  );
}

function HitList({
  filter,
  matches,
}: {
  filter: ExploreQuery;
  matches: TextMatches & { backlog: ArchiveBacklog | null };
}) {
  const { hits, total, others, next, backlog } = matches;
  const isHidden = filter.hidden === 'yes';
  const other = { ...filter, hidden: isHidden ? undefined : 'yes', after: undefined };
  const hidden = <HiddenSwitch isHidden={isHidden} others={others} href={writeAddress('/explore', other)} />;
  const notIndexed = backlog === null ? '' : ` ${describeBacklog(backlog)}.`;
  if (hits.length === 0)
    return (
      <Section title="No matches" id="hits">
        <EmptyState
          words={`Nothing that was found matches.${notIndexed}`}
          todo={{
            words: 'Watch these words',
            href: `/new?text=${encodeURIComponent(filter.q ?? '')}`,
            scope: CREATE_TOPIC_SCOPES,
          }}
        />
        <p class="hint">{hidden}</p>
      </Section>
    );
  const shown = hits.length < total ? `, ${hits.length} shown` : '';
  return (
    <Section
      title={`${formatCount(total, isHidden ? 'hidden match' : 'match', isHidden ? 'hidden matches' : 'matches')}${shown}`}
      id="hits"
      note={
        <>
          By relevance.{notIndexed} {hidden}
        </>
      }
      // Lists, rules and feeds are of what is shown.
      aside={isHidden ? null : <HitActions filter={filter} />}
    >
      <ol class="feed plain">
        {hits.map((hit) => (
          <li>
            <HitView hit={hit} topic={isHidden ? null : filter.topic} />
          </li>
        ))}
      </ol>
      {next === null ? null : (
        <p>
          <a href={writeAddress('/explore', { ...filter, after: next })}>Next page</a>
        </p>
      )}
      {isHidden ? null : <DismissForm topic={filter.topic ?? hits[0]?.found_by[0]?.topic ?? ''} />}
    </Section>
  );
}

/** The query with the other fields of the form. */
function combineQuery({ q = '', kind, lang, within }: ExploreQuery): string {
  const others = [
    kind === undefined ? undefined : `is:${kind}`,
    lang === undefined ? undefined : writeFieldQuery('lang', lang),
    within === undefined ? undefined : `from:${SPAN_DAYS[within]}d`,
  ].filter((part) => part !== undefined);
  return others.length === 0 ? q : [`(${q})`, ...others].join(' ');
}

/** Exports of what matches, its lists in the topic, and a rule. The query includes the other fields of the form. */
function HitActions({ filter }: { filter: ExploreQuery }) {
  const { topic, kind } = filter;
  const text = combineQuery(filter);
  return (
    <p class="line-more">
      {ITEM_KINDS.filter((itemKind) => kind === undefined || itemKind === kind).map((itemKind) =>
        topic === undefined ? (
          <a
            href={writeAddress(`/api/v1/exports/${itemKind}s`, { text, format: 'csv' })}
          >{`Export ${itemKind}s as CSV`}</a>
        ) : (
          <a
            href={writeListPath(`${itemKind}s`, { topic }, { q: text, range: 'all' })}
          >{`List ${itemKind}s`}</a>
        ),
      )}
      <IfAllowed scope="write">
        <a href={writeAddress('/alerts/rules/new', { topic, filter: text })}>Make a rule</a>
      </IfAllowed>
      <a href={writeAddress('/alerts/feeds', { topic, query: text })}>Feed</a>
    </p>
  );
}
