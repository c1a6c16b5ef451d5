/** What every request passes: is it addressed to this server, who sends it, may they, and was it forged by another site. */

import { InvalidInput } from '../../domain/errors.ts';
import { type BoundAddress, isOurHost, isOurOrigin } from '../../platform/http/allowed-hosts.ts';
import { keyOfHeader } from '../../platform/keys.ts';
import { isUnreachable } from '../../store/database.ts';
import { type Access, NOBODY } from '../access/authentication.ts';
import { sessionCookie } from '../access/session-cookie.ts';
import { Denied, hasScopes, type Scope, type Visitor } from '../access/visitor-scopes.ts';
import type { App } from './route-types.ts';
import { countRefusedRequests, type Limits } from './server-limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Puts the gate before every route of the server that is added after it. */
export function addGate(app: App, access: Access, bound: BoundAddress, limits: Limits): void {
  const countRefused = countRefusedRequests(app, limits);
  const cookie = sessionCookie(bound.baseUrl).name;
  app.addHook('onRequest', async (request, reply) => {
    request.visitor = NOBODY;
    reply.header('cache-control', 'no-store');
    // A request that was injected has no port; it is then that of a `Host` without one. One that names a host in
    // its line too was sent to a proxy, which we are not.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new InvalidInput([
        { path: 'headers.host', given: undefined, expected: 'the name of this server' },
      ]);
    const namesHost = request.raw.url?.startsWith('/') === false;
    // Of two `Host` headers a proxy before us may have used the other one.
    const hasTwoHosts = countHeader(request.raw.rawHeaders, 'host') > 1;
    if (namesHost || hasTwoHosts || !isOurHost(request.headers.host, request.socket.localPort ?? 80, bound))
      throw new Denied('host', 'this server is not asked under this name; BASE_URL says under which it is');
    // Nothing here takes webhooks. One of ours, led back by a proxy, would be taken for somebody on this machine.
    if (request.headers['webhook-signature'] !== undefined)
      throw new Denied('forged', 'this is a message of a webhook, and no request');
    const { scope, door } = request.routeOptions.config;
    assertNoNulInPath(request.url);
    request.visitor = await findVisitor(request);
    if (request.is404) return undefined;
    if (scope !== 'open') {
      if (request.visitor.kind === 'nobody') await countRefused(request);
      if (request.visitor.kind === 'nobody' && door === 'page') return redirectToSignIn(request, reply);
      assertScope(request.visitor, scope);
    }
    if (request.visitor.kind !== 'token') assertNotForged(request, bound);
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
        address: request.ip,
      });
    } catch (error) {
      // What anybody may see is shown also while nobody can be known.
      if (open && isUnreachable(error)) return NOBODY;
      throw error;
    }
  }
}

/** @param raw names and values of headers in turn, as they came */
function countHeader(raw: readonly string[], name: string): number {
  return raw.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
}

/** Pages send unknown visitors to the sign-in page, and back afterwards. */
function redirectToSignIn({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = method === 'GET' && url !== '/' ? `?next=${encodeURIComponent(url)}` : '';
  return reply.redirect(`/sign-in${next}`, 303);
}

function assertScope(visitor: Visitor, scope: Scope | readonly Scope[] | undefined): void {
  if (visitor.kind === 'nobody')
    throw new Denied('unknown_visitor', 'send a token of this program: Authorization: Bearer st_...');
  if (scope === undefined) throw new Error('a route without a scope is served');
  if (hasScopes(visitor, scope)) return;
  const lacking = [scope].flat().filter((name) => !visitor.scopes.has(name));
  const scopes = lacking.length === 1 ? 'scope' : 'scopes';
  throw new Denied('scope', `the token lacks the ${scopes} ${lacking.join(' and ')}`);
}

/**
 * A browser sends along who is signed in, and that it stands on this machine, whatever page made it ask. Another site reads
 * nothing of what is answered, but it could take all places of exports and streams. It may do one thing: lead a person to
 * a page of ours. To the API nobody is led: a page that opens windows there would hold its places as well.
 */
function assertNotForged({ headers, method, routeOptions }: FastifyRequest, bound: BoundAddress): void {
  const { origin, host = '' } = headers;
  const { scope, door } = routeOptions.config;
  const site = headers['sec-fetch-site'];
  const ours = site === undefined || site === 'same-origin' || site === 'none';
  if (SAFE_METHODS.has(method)) {
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (ours || scope === 'open' || (door === 'page' && isNavigation)) return;
    throw new Denied('forged', 'cross-site request refused; paste the address into the address bar');
  }
  // A page that sends no referrer sends `null` with its own forms too: then only the other header tells.
  const isOwnOrigin =
    origin === undefined || (origin === 'null' ? site === 'same-origin' : isOurOrigin(origin, host, bound));
  if (!ours || !isOwnOrigin) throw new Denied('forged', 'cross-site request refused');
}

function assertFormToken(access: Access, request: FastifyRequest): void {
  const { body, visitor } = request;
  const form: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { form_token: token, ...rest } = form;
  if (!access.isFormTokenOf(visitor, token))
    throw new Denied('forged', 'this form is out of date: load its page again');
  request.body = rest;
}

/** Postgres stores no text with NUL: it is refused here, before a page queries the database with it. */
const EXPECTED_NO_NUL = 'a text without NUL';

/** @param url as it was asked for; what stands behind `?` is read first. @throws InvalidInput */
function assertNoNulInPath(url: string): void {
  const [path = ''] = url.split('?', 1);
  if (path.includes('%00'))
    throw new InvalidInput([{ path: 'address', given: undefined, expected: EXPECTED_NO_NUL }]);
}

/** @param fields of a form or of an address, each given once or several times. @throws InvalidInput */
function assertNoNulInFields(fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) return;
  const wrong = Object.entries(fields).filter(([, value]) => [value].flat().some(hasNul));
  if (wrong.length > 0)
    throw new InvalidInput(wrong.map(([path]) => ({ path, given: undefined, expected: EXPECTED_NO_NUL })));
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
