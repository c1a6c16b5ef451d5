/**
 * `Idempotency-Key`, as in the IETF draft: a repeated request gets the reply to the first one. A route enables it with
 * `idempotent` in its config.
 *
 * What a request changes in the database, and its reply, are one transaction: neither is there without the other. What happens
 * elsewhere (a paid call, a test message) happens again if its process ends before the reply is stored.
 *
 * A reply is stored if it is the result of the execution: 2xx and 4xx, except 401, 403 and 429. After those and after 5xx
 * the same request is executed again, and after {@link buildTimeLimit} also one whose process ended. Requests that are refused
 * earlier (token, rate limit, types) touch no key.
 */

import { InvalidInput, Refused } from '../model/errors.ts';
import { toJson } from '../lib/json-values.ts';
import type { Visitor } from '../monitor/access/visitor-scopes.ts';
import { KeyRefused } from '../monitor/http/error-statuses.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import type { Config } from '../config/config.ts';
import { MINUTE } from '../lib/time.ts';
import type { Context } from '../monitor/context.ts';
import { type HeldChanges, holdChanges } from '../monitor/held-changes.ts';
import { abortOnClose } from '../platform/http/raw-reply.ts';
import { beginRequest, type Execution, releaseKey, storeReply } from '../store/access/idempotency.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route honors `Idempotency-Key`, as does every route that costs money, creates something or sends something.
     * `secret` is the member of its reply that is shown once and never stored.
     */
    idempotent?: true | { secret: string };
  }
  interface FastifyRequest {
    /**
     * Set for a request with an `Idempotency-Key` to a route that honors it; otherwise null. What its context changes is committed
     * with the reply. `stopped` is aborted when the server closes and the client has disconnected.
     */
    execution: { ctx: Context; stopped: AbortSignal } | null;
  }
}

const KEY_HEADER = 'idempotency-key';
const EXPECTED_KEY =
  'one key of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43e8-bc93-6894a57f9324"';

/** For the OpenAPI document. */
export const keyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .describe(
      'Makes it safe to retry this request: 1 to 255 printable ASCII characters, quoted or not, preferably a UUID. For 24 hours, the same request with the same key gets the reply to the first one, with the header `Idempotency-Replayed: true`. A secret that is shown once is null in it; `Idempotency-Omitted` names the member.',
    ),
});

/** A stored reply: its headers and body. */
const storedReply = z.object({
  type: z.string(),
  location: z.string().optional(),
  omitted: z.string().optional(),
  body: z.string(),
});
type StoredReply = z.infer<typeof storedReply>;

/** How long a request may take that calls no service: its statements, and other hosts that it reads from. */
const TIME_LIMIT_MS = 2 * MINUTE;

/** After this time, an execution without a reply is void: nobody waits for it any more. */
export function buildTimeLimit({ callTimeoutMs, graceMs }: Config, callsService: boolean): number {
  return TIME_LIMIT_MS + (callsService ? Math.max(...Object.values(callTimeoutMs)) + graceMs : 0);
}

/** Adds hooks to every route declared after it; they do nothing for routes without `idempotent`. */
export function honorIdempotencyKeys(app: App, { ctx }: Pick<RouteContext, 'ctx'>): void {
  const { db, clock, log, config } = ctx;
  const openExecutions = new Map<FastifyRequest, OpenExecution>();

  app.addHook('preHandler', async (request, reply) => {
    const { idempotent, callsService = false } = request.routeOptions.config;
    const header = request.headers[KEY_HEADER];
    if (idempotent === undefined || header === undefined) return undefined;
    const begun = await beginRequest(db, clock, {
      visitor: formatVisitor(request.visitor),
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      key: parseKey(header),
      bodyHash: hashRequest(request),
      limitMs: buildTimeLimit(config, callsService),
    });
    if (begun.kind === 'replay') return sendStoredReply(reply, begun);
    if (begun.kind !== 'execute') throw new KeyRefused(begun.kind);

    const changes = holdChanges(ctx);
    const stop = new AbortController();
    request.execution = { ctx: changes.ctx, stopped: stop.signal };
    openExecutions.set(request, { execution: begun.execution, changes, response: reply.raw, stop });
    return undefined;
  });

  // Compression is a hook of each route and runs after this one, so the payload is still plain text.
  app.addHook('onSend', async (request, reply, payload) => {
    const open = openExecutions.get(request);
    if (open === undefined) return payload;
    openExecutions.delete(request);
    const { execution, changes } = open;
    const { idempotent } = request.routeOptions.config;
    const secret = typeof idempotent === 'object' ? idempotent.secret : undefined;
    const stored = buildStoredReply(reply, typeof payload === 'string' ? payload : '', secret);
    const release = () =>
      runAsProgram(() => releaseKey(db, execution)).catch((error: unknown) =>
        log.warn({ err: error, request: request.id }, 'idempotency key not released'),
      );
    if (stored === null) {
      await changes.rollback();
      await release();
      return payload;
    }
    const written = { status: reply.statusCode, reply: JSON.stringify(stored) };
    if (reply.statusCode >= 400) await changes.rollback();
    try {
      // A repeated request gets the reply of the later execution, if there is one.
      if (!changes.isOpen()) await runAsProgram(() => storeReply(db.pool, execution, written));
      await changes.commit(async (tx) => {
        if (!(await storeReply(tx, execution, written)))
          throw new Refused('conflict', 'this request took too long and is being retried');
      });
    } catch (error) {
      await release();
      throw error;
    }
    return payload;
  });

  app.addHook('preClose', (done) => {
    for (const { response, stop } of openExecutions.values()) {
      if (response.closed) stop.abort();
      else response.once('close', () => stop.abort());
    }
    done();
  });
}

type OpenExecution = {
  execution: Execution;
  changes: HeldChanges<Context>;
  response: ServerResponse;
  stop: AbortController;
};

/** A session counts as its token: both have the token's unique prefix. */
function formatVisitor({ name }: Visitor): string {
  return name === null ? 'this machine' : `token ${name}`;
}

/** A string of RFC 8941, without parameters. */
const QUOTED_KEY = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** An unquoted key, as clients of other APIs send it. No commas: those join several headers. */
const BARE_KEY = /^[!#-+\--:<-[\]-~]+$/;

/** @throws InvalidInput */
function parseKey(header: string | string[]): string {
  const text = [header].flat().join(', ');
  const quoted = QUOTED_KEY.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE_KEY.test(text) ? text : '');
  if (key === '' || key.length > 255)
    throw new InvalidInput([{ path: `headers.${KEY_HEADER}`, given: text, expected: EXPECTED_KEY }]);
  return key;
}

/** Hashes the validated request, so that neither the order of members nor explicit defaults make a difference. */
function hashRequest({ params, query, body }: FastifyRequest): Buffer {
  return createHash('sha256').update(toJson({ params, query, body })).digest();
}

const UNSTORED_STATUSES = new Set([401, 403, 429]);

/**
 * @param secret the member that is shown once
 * @returns null if a repeated request must be executed again
 */
function buildStoredReply(reply: FastifyReply, body: string, secret: string | undefined): StoredReply | null {
  const { statusCode: status } = reply;
  if (status >= 500 || UNSTORED_STATUSES.has(status)) return null;
  // An error reply may quote secret input, such as the URL of a channel.
  if (secret !== undefined && status >= 400) return null;
  const { 'content-type': type, location } = reply.getHeaders();
  return {
    type: String(type),
    ...(location === undefined ? {} : { location: String(location) }),
    ...(secret === undefined ? { body } : { omitted: secret, body: clearMember(body, secret) }),
  };
}

/** @throws Error if the member is missing: it would then be stored under another name */
function clearMember(body: string, member: string): string {
  const whole: unknown = JSON.parse(body);
  if (typeof whole !== 'object' || whole === null || !(member in whole))
    throw new Error(`the reply has no member ${member}`);
  return toJson({ ...whole, [member]: null });
}

function sendStoredReply(
  reply: FastifyReply,
  { status, reply: text }: { status: number; reply: string },
): FastifyReply {
  const { type, location, omitted, body } = storedReply.parse(JSON.parse(text));
  if (location !== undefined) reply.header('location', location);
  if (omitted !== undefined) reply.header('idempotency-omitted', omitted);
  return reply.code(status).type(type).header('idempotency-replayed', 'true').send(body);
}

/**
 * A signal that is aborted when the client disconnects before the reply is sent. With an `Idempotency-Key` the work
 * continues, because the client will retry.
 */
export function abortUnlessIdempotent({ execution }: FastifyRequest, reply: FastifyReply): AbortSignal {
  if (execution !== null) return execution.stopped;
  return abortOnClose(reply);
}
