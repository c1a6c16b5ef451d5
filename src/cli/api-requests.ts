/** What commands that are written by hand request from operations. Times of replies are times again, as renderers take them. */
import { isPlain } from '../lib/json-values.ts';
import { InvalidInput } from '../model/errors.ts';
import type { Api } from './api-client.ts';
import { readPages } from './list-pages.ts';
import { findSpec, type OperationSpec } from './operation-specs.ts';
import type { JsonOf } from './reply-view.ts';

/** What an operation returns, as a command reads it: ids are text, times are times. */
export type Reply<T> = JsonOf<T, Date>;

type Members = Readonly<Record<string, unknown>>;

/**
 * Requests an operation.
 * @template T what its `run` returns @param members those that are undefined are omitted
 * @throws InvalidInput, Refused, RunError as the operation does
 */
export async function ask<T>(api: Api, id: string, members: Members = {}): Promise<Reply<T>> {
  return readTimes(await askJson(api, id, members)) as Reply<T>; // as the operation replies
}

/** The reply as it arrives: its times are text. @throws as `ask` */
export async function askJson(api: Api, id: string, members: Members = {}): Promise<unknown> {
  const spec = findSpec(id);
  return api.call(spec, writeMembers(spec, members));
}

/** A reply of bytes. @throws as `ask`, before its first byte */
export function askBytes(
  api: Api,
  spec: OperationSpec,
  members: Members,
): Promise<AsyncIterable<Uint8Array>> {
  return api.stream(spec, writeMembers(spec, members));
}

/** All items of a list, or the first ones. */
export async function askItems<Row>(
  api: Api,
  id: string,
  members: Members = {},
  limit?: number,
): Promise<Reply<Row>[]> {
  const spec = findSpec(id);
  const paged: OperationSpec = { ...spec, shown: limit ?? null };
  const { reply } = await readPages(api, paged, writeMembers(spec, members), {}, {});
  return readTimes(reply) as Reply<Row>[]; // as the operation replies
}

/** Paths and queries are text. */
function writeMembers({ members: specs }: OperationSpec, members: Members): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const isBody = specs.find((member) => member.name === name)?.in === 'body';
    written[name] = value instanceof Date ? value.toISOString() : isBody ? value : toText(value);
  }
  return written;
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Names of members that are times: another member may contain such a text by chance. */
const NAMED_TIME = /(?:^|_)(?:at|since|until|from|before|start|end)$|^(?:as_of|next)$/;

function readTimes(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return TIME.test(value) && NAMED_TIME.test(name) ? new Date(value) : value;
  if (Array.isArray(value)) return value.map((each) => readTimes(each, name));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readTimes(each, key)]));
}

/** Problems at members of a request are those of options with other names. @param names by member */
export async function atOptions<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.problems.map((problem) => {
        const path = problem.path.replace(/^(?:body|query|params)\./, '');
        const [first = ''] = path.split(/[.[]/);
        return { ...problem, path: `${names[first] ?? first}${path.slice(first.length)}` };
      }),
    );
  }
}
