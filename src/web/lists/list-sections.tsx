/** Sections of a list: its form, volume, items, and what can be done with it. */

import type { Problem } from '../../model/errors.ts';
import { describeUtcDays } from '../../lib/display-format.ts';
import { EVERYTHING } from '../../model/search-query.ts';
import { type ArchiveBacklog, describeBacklog } from '../../store/archive/index-archive.ts';
import { Chart } from '../components/chart.tsx';
import { DismissButton } from '../components/dismiss-button.tsx';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { Button, CheckedFields, Field } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { LinkItem } from '../components/link-item.tsx';
import { type ListKind, type ListScope, writeAddress, writeListPath } from '../components/list-address.ts';
import { formatCount } from '../components/numbers.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { PostCard } from '../components/post-card.tsx';
import { Feed, Section, Tabs } from '../components/section.tsx';
import { Matches } from '../components/untrusted-text.tsx';
import type { IsMatch } from '../../store/archive/matched-words.ts';
import { type List, type ListItem, type listQuery, MAX_COUNTED, type ListVolume } from './list-data.ts';
import { isByTime, POST_ORDERS, type PostOrder } from '../../store/queries/post-pages.ts';
import { GAPS_TEXT } from '../topic/volume-section.tsx';
import type { z } from 'zod';
import { formatLocalTime, LIST_RANGES, type ListRange } from './list-range.ts';

/** The state of a list in its address. */
export type ListAddress = Partial<Omit<z.output<typeof listQuery>, 'cursor'>>;

/** The address of the list, changed. */
type WritePath = (changed?: ListAddress & { cursor?: string }) => string;

export const KIND_WORDS = { posts: 'Posts', links: 'Links', discoveries: 'New items' } as const;
const KIND_NOUNS = {
  posts: ['post', 'posts'],
  links: ['link', 'links'],
  discoveries: ['new item', 'new items'],
} as const;
const ORDER_WORDS: Partial<Record<PostOrder, string>> = {
  newest: 'newest first',
  oldest: 'oldest first',
  growth: 'growth since first seen',
};
export function nameOrder(order: PostOrder): string {
  if (isByTime(order)) return order === 'newest' ? 'Newest first' : 'Oldest first';
  return `Most ${order} first`;
}

/** What the time of an item is. */
const TIME_WORDS = {
  posts: 'by time of publication',
  links: 'by time of first sighting',
  discoveries: 'by time of first sighting',
} as const;

export function ListForm({
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
  const keepTime = (at: Date | undefined, written: string | undefined) => {
    const time = isCustom ? at : new Date(written?.match(/^\d{4}-.*/)?.[0] ?? '');
    return time === undefined || Number.isNaN(time.getTime()) ? '' : formatLocalTime(time, zone);
  };
  return (
    <form
      class="form inline list-form"
      method="get"
      action={writeListPath(kind, scope)}
      role="search"
      aria-label={`Filter ${kind}`}
      novalidate
    >
      <CheckedFields problems={problems}>
        <Field
          name="q"
          label="Query"
          kind="search"
          value={address.q}
          placeholder='"night ferry" -cancelled lang:en'
        />
        <Field name="from" label="From" kind="datetime-local" value={keepTime(range.since, address.from)} />
        <Field name="to" label="To" kind="datetime-local" value={keepTime(range.until, address.to)} />
      </CheckedFields>
      {kind !== 'posts' ? null : (
        <Field
          name="sort"
          label="Sort by"
          kind="select"
          value={order}
          options={POST_ORDERS.map((value) => [value, ORDER_WORDS[value] ?? value])}
        />
      )}
      {isCustom || range.name === null ? null : <input type="hidden" name="range" value={range.name} />}
      {address.view === undefined ? null : <input type="hidden" name="view" value={address.view} />}
      {address.after === undefined ? null : <input type="hidden" name="after" value={address.after} />}
      <Button words="Show" kind="main" />
    </form>
  );
}

export function ListVolumeSection({
  list,
  volume: { total, volume },
  path,
}: {
  list: List;
  volume: ListVolume;
  path: WritePath;
}) {
  const { kind, range, after } = list;
  const { chart, chartDays } = range;
  const frame = useFrame();
  const [singular, plural] = KIND_NOUNS[kind];
  const count =
    total === null
      ? `More than ${formatCount(MAX_COUNTED, singular, plural)}`
      : formatCount(total, singular, plural);
  // What begins within the chart, or is all in it, is not only the newest part.
  const isWhole = total !== null && volume.values.reduce<number>((sum, n) => sum + (n ?? 0), 0) >= total;
  const per = chart.per === 'quarter' ? '15 minutes' : chart.per;
  return (
    <Section
      title={`${count}, ${after === undefined ? range.words : 'without earlier ones'}`}
      id="volume"
      live
      note={
        <>
          {KIND_WORDS[kind]} per {per}, {TIME_WORDS[kind]}.{kind === 'posts' ? ` ${GAPS_TEXT}` : ''}
          {chart.per === 'day' ? ` ${describeUtcDays(frame)}` : ''}
          {chartDays === null || isWhole ? '' : ` The chart shows the last ${chartDays} days of the range.`}
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
        series={[
          { name: KIND_WORDS[kind], values: volume.values, least: volume.least, partial: volume.partial },
        ]}
        unit={plural}
        singular={singular}
        from={range.since === undefined ? volume.at[0] : chart.from}
        until={chart.until}
        list={path({ range: undefined, from: undefined, to: undefined })}
      />
    </Section>
  );
}

/** Exports of exactly this list, and a rule about later items that match. */
export function ListActions({
  list: { kind, scope, range, view, after },
  q,
}: {
  list: List;
  q: string | undefined;
}) {
  const rule = { ...toEventScope(scope), filter: q, on: RULE_KIND_OF[kind] };
  return (
    <p class="line-more">
      {after === undefined ? (
        <>
          <Icon name="download" />
          {EXPORT_FORMATS.map(([format, words]) => (
            <a href={writeExportPath(kind, { ...toEventScope(scope), q, range, format, view })}>{words}</a>
          ))}
        </>
      ) : null}
      <IfAllowed scope="write">
        <a href={writeAddress('/alerts/rules/new', rule)}>Make a rule</a>
      </IfAllowed>
      <a href={writeAddress('/alerts/feeds', { ...toEventScope(scope), query: q })}>Feed</a>
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
    view,
    ...others
  }: ({ topic: string } | { search: string }) & {
    q: string | undefined;
    range: ListRange;
    format: string;
    view: List['view'];
  },
): string {
  return writeAddress(`/api/v1/exports/${kind}`, {
    ...others,
    view: kind === 'discoveries' && view === 'topic' ? view : undefined,
    text: q,
    since: since?.toISOString(),
    until: until?.toISOString(),
  });
}

/** What a query cannot find yet. */
export function NotIndexed({ backlog }: { backlog: ArchiveBacklog | null }) {
  if (backlog === null) return null;
  return <>{describeBacklog(backlog)} and cannot match.</>;
}

export function ListItems({
  items,
  matchesOf,
  list,
  allTime,
}: {
  items: readonly ListItem[];
  matchesOf: (item: ListItem) => IsMatch | undefined;
  list: List;
  allTime: string;
}) {
  const { kind, scope, range, matching } = list;
  return (
    <Feed
      rows={items}
      empty={`No ${kind} ${matching.query === EVERYTHING ? '' : 'match '}(${range.words}).`}
      todo={range.name === 'all' ? undefined : { words: 'Search all time', href: allTime }}
    >
      {(item) => (
        <Matches.Provider value={matchesOf(item)}>
          {item.kind === 'post' ? (
            <PostCard
              post={item.post}
              note={describeCount(item.count, list.order)}
              action={<DismissButton kind="post" id={item.post.id} text={item.post.text} />}
            />
          ) : item.kind === 'link' ? (
            <LinkItem
              link={item.link}
              action={<DismissButton kind="link" id={item.link.id} text={item.link.title ?? item.link.url} />}
            />
          ) : (
            <DiscoveryLine
              discovery={item.discovery}
              within={scope.search === undefined ? undefined : 'search'}
              canDismiss
            />
          )}
        </Matches.Provider>
      )}
    </Feed>
  );
}

/** What a post is sorted by, unless it shows that anyway. */
function describeCount(count: number | null, order: PostOrder): string | undefined {
  if (count === null) return undefined;
  if (order === 'growth') return `+${formatCount(count, 'reaction')} since first seen`;
  return order === 'engagement' ? formatCount(count, 'reaction') : undefined;
}

export function toEventScope({ topic, search }: ListScope): { topic: string } | { search: string } {
  return search === undefined ? { topic } : { search };
}
