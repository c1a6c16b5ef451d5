/** What every request passes: is it addressed to us, who asks, may they, and did they mean to. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyOfHeader } from '../../../engine/keys.ts';
import { type Access, NOBODY } from '../../../monitor/access/access.ts';
import { InvalidInput } from '../../../errors.ts';
import { Denied } from '../../../monitor/access/denied.ts';
import { type Scope, mayDo, type Visitor } from '../../../monitor/access/scopes.ts';
import { sessionCookie } from '../../../monitor/access/cookie.ts';
import { isUnreachable } from '../../../store/database.ts';
import type { App } from '../../routes.ts';
import { type Bound, isOurHost, isOurOrigin } from './hosts.ts';
import { countRefused, type Limits } from './limits.ts';
import { assertNoNulIn, assertNoNulInPath } from './nul.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Puts the gate before every route of the server that is added after it. */
export function addGate(app: App, access: Access, bound: Bound, limits: Limits): void {
  const countOne = countRefused(app, limits);
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
    const named = request.raw.url?.startsWith('/') === false;
    // Of two names a proxy before us may have gone by the other one.
    const twice = countOf(request.raw.rawHeaders, 'host') > 1;
    if (named || twice || !isOurHost(request.headers.host, request.socket.localPort ?? 80, bound))
      throw new Denied('host', 'this server is not asked under this name; BASE_URL says under which it is');
    // Nothing here takes webhooks. One of ours, led back by a proxy, would be taken for somebody on this machine.
    if (request.headers['webhook-signature'] !== undefined)
      throw new Denied('forged', 'this is a message of a webhook, and no request');
    const { scope, door } = request.routeOptions.config;
    assertNoNulInPath(request.url);
    request.visitor = await visitorOf(request);
    if (request.is404) return undefined;
    if (scope !== 'open') {
      if (request.visitor.kind === 'nobody') await countOne(request);
      if (request.visitor.kind === 'nobody' && door === 'page') return showTheWayIn(request, reply);
      assertMay(request.visitor, scope);
    }
    if (request.visitor.kind !== 'token') assertMeant(request, bound);
    return undefined;
  });
  app.addHook('preValidation', async (request) => {
    const { door } = request.routeOptions.config;
    if (door !== 'page') return;
    assertNoNulIn(request.query);
    if (SAFE.has(request.method)) return;
    if (request.visitor.kind !== 'token') assertOurForm(access, request);
    assertNoNulIn(request.body);
  });

  async function visitorOf(request: FastifyRequest): Promise<Visitor> {
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
function countOf(raw: readonly string[], name: string): number {
  return raw.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
}

/** Pages send whoever is not known to where they can say who they are, and back afterwards. */
function showTheWayIn({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = method === 'GET' && url !== '/' ? `?next=${encodeURIComponent(url)}` : '';
  return reply.redirect(`/sign-in${next}`, 303);
}

function assertMay(visitor: Visitor, scope: Scope | readonly Scope[] | undefined): void {
  if (visitor.kind === 'nobody')
    throw new Denied('unknown_visitor', 'send a token of this program: Authorization: Bearer st_...');
  if (scope === undefined) throw new Error('a route without a scope is served');
  if (mayDo(visitor, scope)) return;
  const lacking = [scope].flat().filter((one) => !visitor.scopes.has(one));
  const scopes = lacking.length === 1 ? 'scope' : 'scopes';
  throw new Denied('scope', `the token lacks the ${scopes} ${lacking.join(' and ')}`);
}

/**
 * A browser sends along who is signed in, and that it stands on this machine, whatever page made it ask. Another site reads
 * nothing of what is answered, but it could take all places of exports and streams. It may do one thing: lead a person to
 * a page of ours. To the API nobody is led: a page that opens windows there would hold its places as well.
 */
function assertMeant({ headers, method, routeOptions }: FastifyRequest, bound: Bound): void {
  const { origin, host = '' } = headers;
  const { scope, door } = routeOptions.config;
  const site = headers['sec-fetch-site'];
  const ours = site === undefined || site === 'same-origin' || site === 'none';
  if (SAFE.has(method)) {
    const isLed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (ours || scope === 'open' || (door === 'page' && isLed)) return;
    throw new Denied('forged', 'cross-site request refused; paste the address into the address bar');
  }
  // A page that sends no referrer sends `null` with its own forms too: then only the other header tells.
  const named =
    origin === undefined || (origin === 'null' ? site === 'same-origin' : isOurOrigin(origin, host, bound));
  if (!ours || !named) throw new Denied('forged', 'cross-site request refused');
}

function assertOurForm(access: Access, request: FastifyRequest): void {
  const { body, visitor } = request;
  const form: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { form_token: token, ...rest } = form;
  if (!access.isFormTokenOf(visitor, token))
    throw new Denied('forged', 'this form is out of date: load its page again');
  request.body = rest;
}
