/** Mounts operations as routes of the API. */
import { z } from 'zod';
import { prepareRun } from '../monitor/invoke.ts';
import { readPublicBase } from '../monitor/http/public-address.ts';
import type { App, RouteContext, Routes } from '../monitor/http/route-types.ts';
import type { AnyOperation } from '../monitor/operation.ts';
import type { Put } from '../monitor/put.ts';
import { defineParts, type Routed, splitRequest } from '../monitor/request-parts.ts';
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

function addRoute(app: App, home: RouteContext, operation: Routed): void {
  const { id, scope, does, more, tag, output, list, once, created, accepted } = operation;
  const { method, path } = splitRequest(operation);
  const { params, filters, body } = defineParts(operation);
  const { cursors, run } = prepareRun(operation);
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
      ...(params === undefined ? {} : { params }),
      querystring: cursors === undefined ? z.strictObject(filters) : defineListQuery(cursors, filters),
      ...(body === undefined ? {} : { body }),
      response: {
        ...(method === 'PUT' ? { 200: output } : {}),
        [successOf(operation)]:
          cursors === undefined ? output : defineListReply(output).extend(list?.beside ?? {}),
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
      if (once !== undefined) void reply.header('cache-control', 'no-store');
      const parts = {
        params: Object(request.params) as object,
        query: Object(request.query) as object,
        body: Object(request.body) as object,
      };
      const takeFind = () => app.shares.finds.take(request);
      const { embedded } = home;
      const made = await run(
        { ctx, visitor, findPublicBase, embedded, takeFind, onlyCreate, ...stops },
        parts,
      );
      if (method === 'PUT') return replyToPut(reply, made as Put<never>, created as (out: never) => string); // as it is declared
      void reply.code(successOf(operation));
      if (typeof located === 'function') void reply.header('location', located(made as never)); // its own reply
      return made;
    },
  });
}

function successOf({ created, accepted }: AnyOperation): 200 | 201 | 202 {
  if (created !== undefined) return 201;
  return accepted === undefined ? 200 : 202;
}
