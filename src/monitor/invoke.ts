/** Runs operations: for their routes, and for commands without a server. */
import { z } from 'zod';
import { isPlain } from '../lib/json-values.ts';
import { collectProblems, InvalidInput, type Problem } from '../model/errors.ts';
import { type Cursor, createCursor } from './http/cursors.ts';
import { decodeInput } from './http/request-problems.ts';
import { type AnyOperation, type Call, nameList, readRows } from './operation.ts';
import { defineParts, type Routed, splitRequest } from './request-parts.ts';

/** A request whose parts are valid. Of a list, `query` has `limit` and `cursor`, too. */
type Parts = { params: object; query: object; body: object };

export type PreparedRun = {
  /** Of a list. */
  cursors: Cursor<unknown> | undefined;
  /** @returns the reply, which `toJson` makes JSON */
  run: (call: Omit<Call, 'page'>, parts: Parts) => Promise<unknown>;
};

export function prepareRun(operation: AnyOperation): PreparedRun {
  const { list } = operation;
  if (list === undefined)
    return {
      cursors: undefined,
      run: (call, { params, query, body }) =>
        operation.run({ ...call, page: { limit: 0, after: undefined } }, {
          ...params,
          ...body,
          ...query,
        } as never), // its parts are valid
    };
  const cursors = createCursor(nameList(operation), list.cursor);
  return {
    cursors,
    run: async (call, { params, query, body }) => {
      const page = cursors.pageOf(query as { limit: number }, params); // as the type of a list's query
      const { limit, after, filter } = page;
      const members = { ...params, ...body, ...filter };
      const made = await operation.run({ ...call, page: { limit, after } }, members as never); // its parts are valid
      const { rows, beside } = readRows(operation, made);
      const listed = page.reply(rows as never[], list.key); // rows of this list
      const items = list.item === undefined ? listed.items : listed.items.map(list.item);
      return { ...listed, items, ...beside };
    },
  };
}

/**
 * Runs an operation on JSON as the API takes it, with the checks of its route.
 * @param members of all parts of the request
 * @param page of a list @returns the reply @throws InvalidInput with all problems
 */
export async function invoke(
  operation: AnyOperation,
  call: Omit<Call, 'page'>,
  members: Readonly<Record<string, unknown>>,
  page?: { limit: number; cursor?: string | undefined },
): Promise<unknown> {
  const { route } = operation;
  if (route === undefined) throw new Error(`${operation.id} has no route`);
  const routed = { ...operation, route };
  const { cursors, run } = prepareRun(operation);
  const { params, query, body } = decodeParts(routed, members);
  if (cursors === undefined || page === undefined) return run(call, { params, query, body });
  const cursor = page.cursor === undefined ? undefined : cursors.param.safeParse(page.cursor);
  if (cursor?.success === false)
    throw new InvalidInput([{ path: 'query.cursor', given: page.cursor, expected: 'a cursor of this list' }]);
  return run(call, { params, body, query: { limit: page.limit, cursor: cursor?.data, ...query } });
}

function decodeParts(operation: Routed, members: Readonly<Record<string, unknown>>): Parts {
  const names = splitRequest(operation);
  const types = defineParts(operation);
  const pick = (part: readonly string[]) =>
    Object.fromEntries(part.flatMap((name) => (Object.hasOwn(members, name) ? [[name, members[name]]] : [])));
  const decode = (type: Parameters<typeof decodeInput>[0] | undefined, part: readonly string[]): object => {
    const decoded = type === undefined ? {} : decodeInput(type, pick(part));
    return isPlain(decoded) ? decoded : {};
  };
  const problems: Problem[] = [];
  const parts = {
    params: collectProblems(problems, () => decode(types.params, names.params), {}),
    body: collectProblems(problems, () => decode(types.body, names.body), {}),
    query: collectProblems(problems, () => decode(z.strictObject(types.filters), names.query), {}),
  };
  if (problems.length > 0) throw new InvalidInput(problems);
  return parts;
}
