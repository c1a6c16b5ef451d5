/** Posts, links and discoveries of a topic or search: filtered, sorted and paged by the address alone. */

import { collectProblems, type Problem } from '../../domain/errors.ts';
import { EVERYTHING, MAX_QUERY_LENGTH, parseQuery } from '../../domain/search-query.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findSearchRow, findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { type ArchiveBacklog, catchUpArchive } from '../../store/archive/index-archive.ts';
import type { Database } from '../../store/database.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import { Chart } from '../components/chart.tsx';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { Button, describeProblem, Field } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { LinkItem } from '../components/link-item.tsx';
import {
  LIST_KINDS,
  type ListKind,
  type ListScope,
  writeListPath,
  writeScopePath,
  writeTime,
} from '../components/list-address.ts';
import { formatCount } from '../components/numbers.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Pager, Section, Tabs } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { emptyField, readKey, slugParams } from '../request-input.ts';
import { chooseRange } from '../topic/time-range.ts';
import {
  type List,
  LIST_ORDERS,
  listCursor,
  type ListItem,
  MAX_COUNTED,
  PAGE_SIZE,
  readListItems,
  readListVolume,
} from './list-data.ts';
import {
  formatLocalTime,
  LIST_RANGES,
  type ListRange,
  parseLocalTime,
  resolveListRange,
} from './list-range.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const MAX_SEARCHES = 200;

const querystring = z.object({
  q: emptyField.or(z.string().max(MAX_QUERY_LENGTH)).optional(),
  from: emptyField.or(z.string().max(40)).optional(),
  to: emptyField.or(z.string().max(40)).optional(),
  range: emptyField.or(z.enum(LIST_RANGES)).optional(),
  sort: emptyField.or(z.enum(LIST_ORDERS)).optional(),
  after: emptyField.or(z.string().max(19)).optional(),
  cursor: listCursor.param.optional(),
});
/** The state of a list in its address. */
type ListAddress = Omit<z.output<typeof querystring>, 'cursor'>;

export function addListPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring };
  for (const kind of LIST_KINDS) {
    app.get(`/topics/:slug/${kind}`, { schema, config: { scope: 'read' } }, async (request, reply) => {
      const { slug } = request.params;
      const { name } = await findTopicRow(ctx.db, slug);
      const searches = await readSearches(ctx.db, { topic: slug, removed: true, limit: MAX_SEARCHES });
      const scoped = { kind, scope: { topic: slug }, searches };
      return renderList(app, ctx.db, request, reply, { ...scoped, name, address: request.query });
    });
    app.get(`/searches/:slug/${kind}`, { schema, config: { scope: 'read' } }, async (request, reply) => {
      const { slug } = request.params;
      const search = await findSearchRow(ctx.db, slug);
      const scoped = { kind, scope: { topic: search.topic, search: slug }, searches: [search] };
      return renderList(app, ctx.db, request, reply, { ...scoped, name: slug, address: request.query });
    });
  }
}

type Shown = Pick<List, 'kind' | 'scope' | 'searches'> & {
  /** Of the topic or search. */
  name: string;
  address: z.output<typeof querystring>;
};

async function renderList(
  app: App,
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, scope, searches, name, address: { cursor, ...address } }: Shown,
): Promise<FastifyReply> {
  const { now, zone } = request.frame;
  const shared = toSharedTimes(address, zone);
  if (shared !== undefined) return reply.redirect(writeListPath(kind, scope, shared), 303);
  const after = address.after === undefined ? undefined : readKey(address.after);
  const usual = after === undefined ? chooseRange(searches, now) : 'all';
  const problems: Problem[] = [];
  const query = collectProblems(problems, () => parseQuery(address.q ?? '', 'q'), EVERYTHING);
  const range = collectProblems(
    problems,
    () => resolveListRange({ ...address, range: address.range ?? usual }, { now, zone }),
    resolveListRange({ range: usual }, { now, zone }),
  );
  const order = address.sort ?? 'newest';
  const list: List = { kind, scope, searches, matching: { query, now }, range, order, after };
  const page = listCursor.pageOf({ ...address, limit: PAGE_SIZE, cursor }, { kind, scope });
  const read = async () => {
    if (problems.length > 0) return null;
    const leave = query === EVERYTHING ? () => {} : app.shares.finds.take(request);
    try {
      const backlog = query === EVERYTHING ? null : await catchUpArchive(db);
      const [rows, volume] = await Promise.all([
        readListItems(db, list, page.after),
        readListVolume(db, list),
      ]);
      const { items, next_cursor } = page.reply(rows, ({ keys }) => keys);
      return { backlog, volume, items: items.map(({ item }) => item), next: next_cursor };
    } finally {
      leave();
    }
  };
  const data = await read();
  const path = (changed: ListAddress & { cursor?: string } = {}, of: ListKind = kind) =>
    writeListPath(of, scope, { ...address, ...changed });
  return renderPage(request, reply, {
    title: `${KIND_WORDS[kind]} of ${name}`,
    here: '',
    status: problems.length === 0 ? 200 : 400,
    above: <ScopeLinks scope={scope} />,
    aside: (
      <Tabs
        label="Lists"
        tabs={LIST_KINDS.map((one) => ({
          href: path({ sort: undefined }, one),
          words: KIND_WORDS[one],
          here: one === kind,
        }))}
      />
    ),
    charts: true,
    ...(cursor === undefined && data !== null ? { live: toEventScope(scope) } : {}),
    body: (
      <>
        <ListForm list={list} address={address} problems={problems} />
        {data === null ? null : (
          <>
            <ListVolumeSection list={list} volume={data.volume} path={path} />
            <Section
              title={ORDER_TITLES[kind === 'posts' ? order : 'newest']}
              id="list"
              held={cursor === undefined}
              note={<NotIndexed backlog={data.backlog} />}
              aside={<ListActions list={list} q={address.q} />}
            >
              <ListItems
                items={data.items}
                list={list}
                allTime={path({ range: 'all', from: undefined, to: undefined })}
              />
              <Pager
                first={cursor === undefined ? null : path()}
                next={data.next === null ? null : path({ cursor: data.next })}
                words="Next page"
              />
            </Section>
          </>
        )}
      </>
    ),
  });
}

/** The address with times in UTC, if a browser sent local ones: an address means the same to everybody. */
function toSharedTimes(address: ListAddress, zone: string): ListAddress | undefined {
  const from = address.from === undefined ? undefined : parseLocalTime(address.from, zone);
  const to = address.to === undefined ? undefined : parseLocalTime(address.to, zone);
  if (from === undefined && to === undefined) return undefined;
  return {
    ...address,
    range: undefined,
    ...(from === undefined ? {} : { from: writeTime(from) }),
    ...(to === undefined ? {} : { to: writeTime(to) }),
  };
}

function toEventScope({ topic, search }: ListScope): { topic: string } | { search: string } {
  return search === undefined ? { topic } : { search };
}

const KIND_WORDS = { posts: 'Posts', links: 'Links', discoveries: 'Discoveries' } as const;
const KIND_NOUNS = {
  posts: ['post', 'posts'],
  links: ['link', 'links'],
  discoveries: ['discovery', 'discoveries'],
} as const;
const ORDER_TITLES = {
  newest: 'Newest first',
  engagement: 'Most engagement first',
  growth: 'Most growth first',
} as const;
const ORDER_WORDS = {
  newest: 'newest first',
  engagement: 'engagement',
  growth: 'growth since first seen',
} as const;
/** What the time of an item is. */
const TIME_WORDS = {
  posts: 'by time of publication',
  links: 'by time of first sighting',
  discoveries: 'by time of discovery',
} as const;

function ScopeLinks({ scope }: { scope: ListScope }) {
  const { topic, search } = scope;
  return (
    <>
      <a href="/">Overview</a> / <a href={writeScopePath({ topic })}>{topic}</a>
      {search === undefined ? null : (
        <>
          {' '}
          / <a href={writeScopePath(scope)}>{search}</a>
        </>
      )}
    </>
  );
}

function ListForm({
  list: { kind, scope, range, order },
  address,
  problems,
}: {
  list: List;
  address: ListAddress;
  problems: readonly Problem[];
}) {
  const { zone } = useFrame();
  const isCustom = range.name === null;
  return (
    <form
      class="form inline list-form"
      method="get"
      action={writeListPath(kind, scope)}
      role="search"
      aria-label={`Filter ${kind}`}
      novalidate
    >
      <Field
        name="q"
        label="Query"
        kind="search"
        value={address.q}
        placeholder='"night ferry" -cancelled lang:en'
      />
      <Field
        name="from"
        label="From"
        kind="datetime-local"
        value={isCustom && range.since !== undefined ? formatLocalTime(range.since, zone) : ''}
      />
      <Field
        name="to"
        label="To"
        kind="datetime-local"
        value={isCustom && range.until !== undefined ? formatLocalTime(range.until, zone) : ''}
      />
      {kind !== 'posts' ? null : (
        <Field
          name="sort"
          label="Sort by"
          kind="select"
          value={order}
          options={LIST_ORDERS.map((value) => ({ value, words: ORDER_WORDS[value] }))}
        />
      )}
      {isCustom || range.name === null ? null : <input type="hidden" name="range" value={range.name} />}
      {address.after === undefined ? null : <input type="hidden" name="after" value={address.after} />}
      <Button words="Show" kind="main" />
      {problems.map((problem) => (
        <p class="wrong" role="alert">
          <UntrustedText text={describeProblem(problem)} most={600} />
        </p>
      ))}
    </form>
  );
}

type WritePath = (changed?: ListAddress & { cursor?: string }) => string;

function ListVolumeSection({
  list,
  volume: { total, volume, perSearch },
  path,
}: {
  list: List;
  volume: Awaited<ReturnType<typeof readListVolume>>;
  path: WritePath;
}) {
  const { kind, range, after } = list;
  const { chart, chartDays } = range;
  const [one, many] = KIND_NOUNS[kind];
  const count =
    total === null ? `More than ${formatCount(MAX_COUNTED, one, many)}` : formatCount(total, one, many);
  const per = chart.per === 'quarter' ? '15 minutes' : chart.per;
  return (
    <Section
      title={`${count}${after === undefined ? '' : ' since your last visit'}, ${range.words}`}
      id="volume"
      live
      note={
        <>
          {KIND_WORDS[kind]} per {per}, {TIME_WORDS[kind]}.
          {kind === 'posts' ? ' Gaps were not observed; paler bars are lower bounds.' : ''}
          {perSearch ? ' Posts found by two searches are counted twice.' : ''}
          {chartDays === null ? '' : ` The chart shows the last ${chartDays} days of the range.`}
        </>
      }
      aside={
        <Tabs
          label="Time range"
          tabs={LIST_RANGES.map((name) => ({
            href: path({ range: name, from: undefined, to: undefined }),
            words: name,
            here: name === range.name,
          }))}
        />
      }
    >
      <Chart
        caption={`${KIND_WORDS[kind]} per ${per}, ${range.words}`}
        at={volume.at}
        seconds={chart.seconds}
        series={[{ name: KIND_WORDS[kind], values: volume.values, least: volume.least }]}
        unit={many}
        from={chart.from}
        until={chart.until}
        list={path({ range: undefined, from: undefined, to: undefined })}
      />
    </Section>
  );
}

/** Exports of exactly this list, and a rule about later items that match. */
function ListActions({ list: { kind, scope, range, after }, q }: { list: List; q: string | undefined }) {
  const on = RULE_KIND_OF[kind];
  const rule = new URLSearchParams({
    ...toEventScope(scope),
    ...(q === undefined ? {} : { filter: q }),
    ...(on === undefined ? {} : { on }),
  });
  return (
    <p class="line-more">
      {after === undefined ? (
        <>
          <Icon name="download" />
          {EXPORT_FORMATS.map(([format, words]) => (
            <a href={writeExportPath(kind, { ...toEventScope(scope), q, range, format })}>{words}</a>
          ))}
        </>
      ) : null}
      <IfAllowed scope="write">
        <a href={`/alerts/rules/new?${rule.toString()}`}>Make a rule</a>
      </IfAllowed>
    </p>
  );
}

/** What a rule about items of a list reports; undefined: as it is for a new rule. */
const RULE_KIND_OF = { posts: 'post', links: 'link', discoveries: undefined } as const;

const EXPORT_FORMATS = [
  ['csv', 'Export as CSV'],
  ['ndjson', 'NDJSON'],
  ['parquet', 'Parquet'],
] as const;

/** The export of the items of a list. Its rows are ordered by their keys. */
function writeExportPath(
  kind: ListKind,
  {
    q,
    range: { since, until },
    ...others
  }: ({ topic: string } | { search: string }) & { q: string | undefined; range: ListRange; format: string },
): string {
  const query = new URLSearchParams(others);
  if (q !== undefined) query.set('text', q);
  if (since !== undefined) query.set('since', since.toISOString());
  if (until !== undefined) query.set('until', until.toISOString());
  return `/api/v1/exports/${kind}?${query.toString()}`;
}

/** What a query cannot find yet. */
export function NotIndexed({ backlog }: { backlog: ArchiveBacklog | null }) {
  if (backlog === null) return null;
  return (
    <>
      {formatCount(backlog.total - backlog.indexed, 'item')} of {formatCount(backlog.total, 'item')} are not
      indexed yet and cannot match.
    </>
  );
}

function ListItems({ items, list, allTime }: { items: readonly ListItem[]; list: List; allTime: string }) {
  const { kind, scope, range, matching } = list;
  if (items.length === 0)
    return (
      <EmptyState
        words={`No ${kind} ${matching.query === EVERYTHING ? '' : 'match '}(${range.words}).`}
        {...(range.name === 'all' ? {} : { todo: { words: 'Search all time', href: allTime } })}
      />
    );
  return (
    <ul class="feed">
      {items.map((item) => (
        <li>
          {item.kind === 'post' ? (
            <PostCard post={item.post} note={describeCount(item.count, list.order)} />
          ) : item.kind === 'link' ? (
            <LinkItem link={item.link} />
          ) : (
            <DiscoveryLine
              discovery={item.discovery}
              {...(scope.search === undefined ? {} : { within: 'search' as const })}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function describeCount(count: number | null, order: List['order']): string | undefined {
  if (count === null) return undefined;
  return order === 'growth'
    ? `+${formatCount(count, 'reaction')} since first seen`
    : formatCount(count, 'reaction');
}
