/** Mounts operations as routes of the API. */
import { z } from 'zod';
import { createCursor } from '../monitor/http/cursors.ts';
import { readPublicBase } from '../monitor/http/public-address.ts';
import type { App, RouteContext, Routes } from '../monitor/http/route-types.ts';
import {
  type AnyOperation,
  type Input,
  listMembers,
  listShapes,
  memberOf,
  nameList,
  readRows,
} from '../monitor/operation.ts';
import type { Put } from '../monitor/put.ts';
import { operation as defineRoute } from './operation.ts';
import { abortUnlessIdempotent } from './idempotency-key.ts';
import { mayOnlyCreate, putHeaders, replyToPut } from './put-reply.ts';
import { defineListQuery, defineListReply } from './pagination.ts';

/** Routes of the operations that have one. */
export function routesOf(operations: readonly AnyOperation[]): Routes {
  return (app, home) => {
    for (const each of operations)
      if (each.route !== undefined) addRoute(app, home, { ...each, route: each.route });
  };
}

type Routed = AnyOperation & { route: string };

function addRoute(app: App, home: RouteContext, operation: Routed): void {
  const { id, scope, does, more, tag, input, output, list, once, created, accepted, mayLackBody } = operation;
  const { method, path, params, query, body } = splitRequest(operation);
  const filters = shapeOf(input, query);
  const cursor = list === undefined ? undefined : createCursor(nameList(operation), list.cursor);
  const located = created ?? accepted;
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...defineRoute({
      scope,
      ...(operation.idempotent === undefined
        ? {}
        : { idempotent: once === undefined ? true : { secret: once } }),
      ...(operation.callsService === undefined ? {} : { callsService: true }),
      ...(typeof located === 'function' ? { sends: ['Location'] } : {}),
      ...(method === 'PUT' ? { reads: putHeaders } : {}),
      operationId: id,
      summary: does,
      description: more,
      tags: [tag],
      ...(params.length === 0 ? {} : { params: z.strictObject(shapeOf(input, params)) }),
      querystring: cursor === undefined ? z.strictObject(filters) : defineListQuery(cursor, filters),
      ...(body.length === 0 ? {} : { body: orNone(buildBody(input, body), mayLackBody) }),
      response: {
        ...(method === 'PUT' ? { 200: output } : {}),
        [successOf(operation)]:
          cursor === undefined ? output : defineListReply(output).extend(list?.beside ?? {}),
      },
    }),
    handler: async (request, reply) => {
      const { acting, visitor } = request;
      const findPublicBase = () => readPublicBase(request, home);
      const onlyCreate = method === 'PUT' && mayOnlyCreate(request);
      const stops =
        operation.endsWithClient === undefined ? {} : { stopping: abortUnlessIdempotent(request, reply) };
      // What a call records is committed before it is sent, not with the reply to an Idempotency-Key.
      const ctx = operation.callsService === undefined ? acting : { ...home.ctx, actor: acting.actor };
      const run = (page: { limit: number; after: unknown }, members: object) =>
        operation.run({ ctx, visitor, page, findPublicBase, onlyCreate, ...stops }, members as never); // validated by the types of the route
      const members = { ...Object(request.params), ...Object(request.body) };
      if (once !== undefined) void reply.header('cache-control', 'no-store');
      if (cursor !== undefined && list !== undefined) {
        const {
          limit,
          after,
          filter,
          reply: page,
        } = cursor.pageOf(
          request.query as { limit: number }, // as above
          Object(request.params),
        );
        const { rows, beside } = readRows(operation, await run({ limit, after }, { ...members, ...filter }));
        const listed = page(rows as never[], list.key); // of a list
        const items = list.item === undefined ? listed.items : listed.items.map(list.item);
        return { ...listed, items, ...beside };
      }
      const made = await run({ limit: 0, after: undefined }, { ...members, ...Object(request.query) });
      if (method === 'PUT') return replyToPut(reply, made as Put<never>, created as (out: never) => string); // as it is declared
      void reply.code(successOf(operation));
      if (typeof located === 'function') void reply.header('location', located(made as never)); // its own reply
      return made;
    },
  });
}

function orNone(body: z.ZodType, mayLack = false): z.ZodType {
  const { examples } = body.meta() ?? {};
  return mayLack ? body.nullish().meta({ examples }) : body;
}

/** Where the members of an operation are in a request. */
function splitRequest({ route, input, query: named = [] }: Routed) {
  const [method = '', path = ''] = route.split(' ');
  const isQuery = (name: string) => method === 'GET' || method === 'DELETE' || named.includes(name);
  const names = listMembers(input);
  const params = names.filter((name) => path.includes(`{${name}}`));
  const others = names.filter((name) => !params.includes(name));
  return {
    method,
    path,
    params,
    query: others.filter(isQuery),
    body: others.filter((name) => !isQuery(name)),
  };
}

function successOf({ created, accepted }: AnyOperation): 200 | 201 | 202 {
  if (created !== undefined) return 201;
  return accepted === undefined ? 200 : 202;
}

function shapeOf(input: Input, names: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(names.map((name) => [name, memberOf(input, name)]));
}

/** The input reduced to the members of its body; the input itself if these are all of them. Its examples are bodies. */
function buildBody(input: Input, names: readonly string[]): z.ZodType {
  if (names.length === listMembers(input).length) return input;
  const bodies = listShapes(input).map((each) => {
    const { examples } = each.meta() ?? {};
    const own = names.filter((name) => Object.hasOwn(each.shape, name));
    const body = z.strictObject(shapeOf(each, own)).meta(examples === undefined ? {} : { examples });
    // Checks of the whole input need members of the body only.
    return body.check(...((each.def.checks ?? []) as z.core.$ZodCheck<object>[]));
  });
  const [only] = bodies;
  if (only !== undefined && bodies.length === 1) return only;
  // The error of a union of objects is one of this union of objects, too.
  const error = input.def.error as z.core.$ZodErrorMap<z.core.$ZodIssueInvalidUnion> | undefined;
  const { examples } = input.meta() ?? {};
  return z.union(bodies, { error }).meta(examples === undefined ? {} : { examples });
}
