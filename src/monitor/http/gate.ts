/** Checks every request: host name, visitor, scope, and whether another site forged it. */

import { VERSION } from '../../config/version.ts';
import { ACCOUNT_HEADER, VERSION_HEADER } from '../../model/client-headers.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { type BoundAddress, isOurHost, isOurOrigin } from '../../platform/http/allowed-hosts.ts';
import { keyOfHeader } from '../../platform/keys.ts';
import { isUnreachable } from '../../store/db/database.ts';
import { type Access, NOBODY } from '../access/authentication.ts';
import { sessionCookie } from '../access/session-cookie.ts';
import { getSharedVisitor } from '../access/shared-visitor.ts';
import { assertScopes, Denied, type Scope, type Visitor } from '../access/visitor-scopes.ts';
import type { Mount } from '../../model/mount.ts';
import type { App } from './route-types.ts';
import { countRefusedRequests, type Limits } from './server-limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Adds the gate to every route added after it. */
export function addGate(
  app: App,
  access: Access,
  { mount, ...bound }: BoundAddress & { mount: Mount },
  limits: Limits,
): void {
  const countRefused = countRefusedRequests(app, limits);
  const cookie = sessionCookie(bound.baseUrl, mount).name;
  app.addHook('onRequest', async (request, reply) => {
    request.visitor = NOBODY;
    reply.header('cache-control', 'no-store');
    const shared = getSharedVisitor();
    if (shared !== undefined) {
      // Its link passed this gate, and chose the address.
      request.visitor = shared;
      return assertPageOnly(request);
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new InvalidInput([
        { path: 'headers.host', given: undefined, expected: 'the host name of this server' },
      ]);
    // A request line with a host is meant for a proxy, which this server is not.
    const namesHost = request.raw.url?.startsWith('/') === false;
    // With two `Host` headers, a proxy in front may have used the second.
    const hasTwoHosts = countHeader(request.raw.rawHeaders, 'host') > 1;
    // Injected requests have no port; they count as requests to port 80.
    if (namesHost || hasTwoHosts || !isOurHost(request.headers.host, request.socket.localPort ?? 80, bound))
      throw new Denied(
        'host',
        'this host name is not a name of this server; set BASE_URL to the address that you use',
      );
    // The server accepts no webhooks. One of its own, sent back by a proxy, would pass as a local visitor.
    if (request.headers['webhook-signature'] !== undefined)
      throw new Denied('forged', 'this server does not accept webhook messages');
    const { scope, door } = request.routeOptions.config;
    assertNoNulInPath(request.url);
    request.visitor = await findVisitor(request);
    if (request.is404) return undefined;
    if (scope !== 'open') {
      if (request.visitor.kind === 'nobody') await countRefused(request);
      if (request.visitor.kind === 'nobody' && door === 'page') return redirectToSignIn(request, reply);
      assertScope(request.visitor, scope);
      assertVersion(request, reply);
    }
    const { kind } = request.visitor;
    if (kind !== 'token' && kind !== 'command_line') assertNotForged(request, bound);
    return undefined;
  });
  app.addHook('preValidation', async (request) => {
    const { door } = request.routeOptions.config;
    if (door !== 'page') return;
    assertNoNulInFields(request.query);
    if (SAFE_METHODS.has(request.method)) return;
    if (request.visitor.kind !== 'token') assertFormToken(access, request);
    assertNoNulInFields(request.body);
  });

  async function findVisitor(request: FastifyRequest): Promise<Visitor> {
    const { scope, door } = request.routeOptions.config;
    const open = scope === 'open' || request.is404;
    if (open && door === 'api') return NOBODY;
    try {
      return await access.visitorOf({
        token: open ? undefined : keyOfHeader(request.headers.authorization),
        session: request.cookies[cookie],
        account: readHeader(request, ACCOUNT_HEADER),
        address: request.clientAddress,
      });
    } catch (error) {
      // Public pages also work while the database is unreachable.
      if (open && isUnreachable(error)) return NOBODY;
      throw error;
    }
  }
}

/** A shared page is read; no address of the API, and nothing that changes anything, is one. @throws Denied */
function assertPageOnly({ method, routeOptions: { config } }: FastifyRequest): void {
  if (method !== 'GET' || config.door !== 'page' || config.scope !== 'read')
    throw new Denied('scope', 'a shared page cannot do this');
}

function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** A command of another version may not know what it asks for. @throws Refused */
function assertVersion(request: FastifyRequest, reply: FastifyReply): void {
  const asked = readHeader(request, VERSION_HEADER);
  if (asked === undefined) return;
  void reply.header(VERSION_HEADER, VERSION);
  if (asked !== VERSION)
    throw new Refused(
      'conflict',
      `this server is strandline ${VERSION}, but the command is ${asked.slice(0, MAX_VERSION)}. Use the same version.`,
    );
}

const MAX_VERSION = 30;

/** @param raw alternating header names and values, as received */
function countHeader(raw: readonly string[], name: string): number {
  return raw.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
}

/** Sends an unknown visitor to the sign-in page, and back afterwards. */
function redirectToSignIn({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = method === 'GET' && url !== '/' ? `?next=${encodeURIComponent(url)}` : '';
  return reply.redirect(`/sign-in${next}`, 303);
}

function assertScope(visitor: Visitor, scope: Scope | readonly Scope[] | undefined): void {
  if (visitor.kind === 'nobody')
    throw new Denied('unknown_visitor', 'send a token in the header Authorization: Bearer st_...');
  if (scope === undefined) throw new Error('a route without a scope is served');
  assertScopes(visitor, scope);
}

/**
 * Refuses cross-site requests. A browser sends cookies and comes from this machine whichever site caused the request.
 * Another site cannot read replies, but it could occupy all exports and streams. It may only navigate to a page; not to
 * the API, because a site that opens windows there could occupy those places, too.
 */
function assertNotForged({ headers, method, routeOptions }: FastifyRequest, bound: BoundAddress): void {
  const { origin, host = '' } = headers;
  const { scope, door } = routeOptions.config;
  const site = headers['sec-fetch-site'];
  const ours = site === undefined || site === 'same-origin' || site === 'none';
  if (SAFE_METHODS.has(method)) {
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (ours || scope === 'open' || (door === 'page' && isNavigation)) return;
    throw new Denied('forged', 'cross-site request; paste the URL into the address bar');
  }
  // Pages without a referrer send the origin `null` even with their own forms; then only `sec-fetch-site` is reliable.
  const isOwnOrigin =
    origin === undefined || (origin === 'null' ? site === 'same-origin' : isOurOrigin(origin, host, bound));
  if (!ours || !isOwnOrigin) throw new Denied('forged', 'cross-site request');
}

function assertFormToken(access: Access, request: FastifyRequest): void {
  const { body, visitor } = request;
  const form: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { form_token: token, ...rest } = form;
  if (!access.isFormTokenOf(visitor, token))
    throw new Denied('forged', 'this form is out of date; reload the page');
  request.body = rest;
}

/** Postgres cannot store NUL, so text with it is refused before a page queries the database. */
const EXPECTED_NO_NUL = 'text without NUL';

/** @param url as requested; the query is checked later, once parsed. @throws InvalidInput */
function assertNoNulInPath(url: string): void {
  const [path = ''] = url.split('?', 1);
  if (path.includes('%00'))
    throw new InvalidInput([{ path: 'address', given: undefined, expected: EXPECTED_NO_NUL }]);
}

/** @param fields of a form or a query, each with one value or several. @throws InvalidInput */
function assertNoNulInFields(fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) return;
  const wrong = Object.entries(fields).filter(([, value]) => [value].flat().some(hasNul));
  if (wrong.length > 0)
    throw new InvalidInput(wrong.map(([path]) => ({ path, given: undefined, expected: EXPECTED_NO_NUL })));
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
