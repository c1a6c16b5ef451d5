/** The pages of a command that lists: `--limit`, and `--after` with the place that the previous page said. */
import { InvalidInput } from '../model/errors.ts';
import { isPlain, tryParseJson } from '../lib/json-values.ts';
import type { Api } from './api-client.ts';
import type { OperationSpec } from './operation-specs.ts';
import { MAX_LIMIT } from './option-values.ts';

export type ListOptions = { limit?: number; after?: string };

/** What a command shows of a reply. */
export type Shown = {
  /** A list: its items. */
  reply: unknown;
  /** Of a list: the other members of the reply. */
  beside: object;
  /** Of a list: the place after which the next page begins; null: there is none. */
  next: string | null;
};

/** A page of the API has at most as many. */
const PAGE = 200;

/**
 * Requests an operation; of a list, as many pages as are asked for.
 * @param typed what chose the rows, as it was typed: a place is valid only for the same
 * @throws InvalidInput if `after` is no place that the same list said
 */
export async function readPages(
  api: Api,
  spec: OperationSpec,
  values: Readonly<Record<string, unknown>>,
  { limit, after }: ListOptions,
  typed: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  if (spec.shown === undefined) return { reply: await api.call(spec, values), beside: {}, next: null };
  const wanted = spec.shown === null ? MAX_LIMIT : (limit ?? spec.shown);
  const place = after === undefined ? undefined : readPlace(after, typed);
  const times = place?.times ?? pickTimes(spec, values, typed);
  const sent = {
    ...values,
    ...Object.fromEntries(Object.entries(times).map(([name, [, at]]) => [name, at])),
  };
  const items: unknown[] = [];
  let cursor = place?.cursor;
  for (;;) {
    const reply = await readPage(
      api,
      spec,
      sent,
      { limit: Math.min(PAGE, wanted - items.length), cursor },
      after,
    );
    const { items: page, next_cursor, ...beside } = reply;
    items.push(...(Array.isArray(page) ? (page as unknown[]) : []));
    cursor = typeof next_cursor === 'string' ? next_cursor : undefined;
    if (cursor !== undefined && items.length < wanted) continue;
    const next = cursor === undefined || spec.shown === null ? null : writePlace(cursor, times);
    return { reply: items, beside, next };
  }
}

async function readPage(
  api: Api,
  spec: OperationSpec,
  sent: Readonly<Record<string, unknown>>,
  page: { limit: number; cursor: string | undefined },
  after: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const reply = await fromPlace(after, () => api.call(spec, sent, page));
  return isPlain(reply) ? reply : {};
}

/** Requests a page. @throws InvalidInput at `after` if its cursor is refused */
export async function fromPlace<T>(after: string | undefined, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof InvalidInput && error.problems.some(({ path }) => /(?:^|\.)cursor$/.test(path)))
      throw refusePlace(after);
    throw error;
  }
}

const refusePlace = (after: string | undefined) =>
  new InvalidInput([
    {
      path: 'after',
      given: after,
      expected: 'what the previous page said after --after, with the same options',
    },
  ]);

/** Times as they were typed and as they were sent: `2d` is another time at each page. */
type Times = Readonly<Record<string, readonly [typed: unknown, sent: unknown]>>;

function pickTimes(
  { members }: OperationSpec,
  values: Readonly<Record<string, unknown>>,
  typed: object,
): Times {
  return Object.fromEntries(
    members
      .filter(({ name, read }) => read === 'past_time' && name in typed)
      .map(({ name }) => [name, [Reflect.get(typed, name), values[name]]]),
  );
}

function writePlace(cursor: string, times: Times): string {
  const isTimeless = Object.keys(times).length === 0;
  return isTimeless ? cursor : `${cursor}.${Buffer.from(JSON.stringify(times)).toString('base64url')}`;
}

function readPlace(
  after: string,
  typed: Readonly<Record<string, unknown>>,
): { cursor: string; times: Times } {
  const [cursor = '', written = ''] = after.split('.', 2);
  const read = written === '' ? {} : tryParseJson(Buffer.from(written, 'base64url').toString('utf8'));
  if (!isPlain(read)) throw refusePlace(after);
  const times: Record<string, readonly [unknown, unknown]> = {};
  for (const [name, pair] of Object.entries(read)) {
    if (!Array.isArray(pair) || pair[0] !== typed[name]) throw refusePlace(after);
    times[name] = [pair[0], pair[1]];
  }
  return { cursor, times };
}
