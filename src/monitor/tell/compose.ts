/** Composes messages. Pure; message.ts says what is in one. */
import type { z } from 'zod';
import { withoutEndSlashes } from '../../contract/url.ts';
import type { Id } from '../../store/database.ts';
import type { Found, FoundLink, FoundPost, FoundSpike } from '../../store/tell/feed.ts';
import { type DiscoveriesMessage, type MessageDiscovery, type TestMessage, TEXT_MAX } from './message.ts';

export type Telling = {
  rule: { slug: string; name: string };
  /** The first discoveries, whole, in the order of the feed. */
  found: readonly Found[];
  /** Ids of all. */
  ids: readonly Id[];
  at: Date;
  /** `https://strandline.host`; undefined: nobody said where the dashboard is. */
  baseUrl: string | undefined;
};

/** The body of a message, byte for byte. */
export function composeBody({ rule, found, ids, at, baseUrl }: Telling): string {
  const run = same(found.map(({ run_id }) => run_id));
  const search = same(found.map((one) => one.search));
  const topic = same(found.map((one) => one.topic));
  const whole = new Set(found.map(({ id }) => id));
  const message: z.infer<typeof DiscoveriesMessage> = {
    type: 'strandline.discoveries',
    timestamp: at.toISOString(),
    data: {
      rule: rule.slug,
      rule_name: rule.name,
      topic,
      search,
      run_id: run === null ? null : String(run),
      link: linkTo(baseUrl, run, search, topic),
      total: ids.length,
      discoveries: found.flatMap(discovery),
      further_ids: ids.filter((id) => !whole.has(id)).map(String),
    },
  };
  return JSON.stringify(message);
}

/** A message that only asks whether messages arrive. */
export function composeTest({ channel, at }: { channel: string; at: Date }): string {
  const message: z.infer<typeof TestMessage> = {
    type: 'strandline.test',
    timestamp: at.toISOString(),
    data: { channel },
  };
  return JSON.stringify(message);
}

/** None for a completion: no rule reports one. */
function discovery(found: Found): MessageDiscovery[] {
  const { id, at, run_id, search, topic, service_kind } = found;
  const common = {
    id: String(id),
    at: at.toISOString(),
    run_id: String(run_id),
    topic,
    search,
    simulated: service_kind === 'sandbox',
  };
  switch (found.kind) {
    case 'post':
      return [{ ...common, kind: found.kind, post: post(found.post) }];
    case 'link':
      return [{ ...common, kind: found.kind, link: link(found.link) }];
    case 'spike':
      return [{ ...common, kind: found.kind, spike: spike(found.spike) }];
    case 'completion':
      return [];
  }
}

function post({ id, text, created_at, author_name: _name, ...rest }: FoundPost) {
  return { id: String(id), ...rest, text: cut(text), created_at: created_at?.toISOString() ?? null };
}

function link({ id, title, snippet, published_at, ...rest }: FoundLink) {
  return {
    id: String(id),
    ...rest,
    title: title === null ? null : cut(title),
    snippet: snippet === null ? null : cut(snippet),
    published_at: published_at?.toISOString() ?? null,
  };
}

function spike({ id, window_start, window_end, ...rest }: FoundSpike) {
  return {
    id: String(id),
    ...rest,
    window_start: window_start.toISOString(),
    window_end: window_end.toISOString(),
  };
}

function linkTo(
  baseUrl: string | undefined,
  run: Id | null,
  search: string | null,
  topic: string | null,
): string | null {
  if (baseUrl === undefined) return null;
  const base = withoutEndSlashes(baseUrl);
  if (run !== null) return `${base}/runs/${run}`;
  if (search !== null) return `${base}/searches/${search}`;
  return topic === null ? `${base}/alerts` : `${base}/topics/${topic}`;
}

/** What all have in common; null where they differ. */
function same<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}

function cut(text: string): string {
  return text.length <= TEXT_MAX
    ? text
    : `${text
        .slice(0, TEXT_MAX - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}
