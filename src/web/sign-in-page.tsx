/** Sign in with a token, and sign out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SECOND } from '../lib/time.ts';
import { readReturnPath, sessionCookie } from '../monitor/access/session-cookie.ts';
import { Denied } from '../monitor/access/visitor-scopes.ts';
import { MAX_SESSION_MS } from '../store/access/sessions.ts';
import { mapErrorToFailure } from '../monitor/http/error-statuses.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import { Button, Field, Form } from './components/form.tsx';
import { renderPage } from './components/page-layout.tsx';

/** Longer than any token. */
const MAX_TOKEN_LENGTH = 200;
/** Of the form: a token, a form token, and a path to return to. */
const MAX_FORM_BYTES = 8_192;

export function addSignInPage(app: App, { ctx, mount }: RouteContext): void {
  const { name, options } = sessionCookie(ctx.config.http.baseUrl, mount);

  app.get(
    '/sign-in',
    {
      schema: { querystring: z.object({ next: z.string().optional() }) },
      // Strangers at the address of a visitor, such as that of a proxy, must not use up the visitor's requests.
      config: { scope: 'open', rateLimit: false },
    },
    (request, reply) => {
      const next = readReturnPath(request.query.next);
      if (request.visitor.kind !== 'nobody') return reply.redirect(next, 303);
      return renderSignIn(request, reply, { next });
    },
  );

  app.post(
    '/sign-in',
    {
      schema: { body: z.object({ token: z.string().max(MAX_TOKEN_LENGTH), next: z.string().optional() }) },
      bodyLimit: MAX_FORM_BYTES,
      // A right token is let in at any time; wrong ones wait.
      config: { scope: 'open', rateLimit: false },
    },
    async (request, reply) => {
      const { token, next: returnPath } = request.body;
      const next = readReturnPath(returnPath);
      try {
        // Not on behalf of the visitor: until they are in, they share the connections of everybody at their address.
        const session = await runAsProgram(() => app.access.signIn(token, request.clientAddress));
        // One session per browser: the previous one ends.
        await app.access.signOut(request.visitor);
        return reply
          .setCookie(name, session, { ...options, maxAge: MAX_SESSION_MS / SECOND })
          .redirect(next, 303);
      } catch (error) {
        if (!(error instanceof Denied)) throw error;
        return renderSignIn(request, reply, { next, refused: error });
      }
    },
  );

  app.post('/sign-out', { config: { scope: 'read' } }, async (request, reply) => {
    await app.access.signOut(request.visitor);
    return reply.clearCookie(name, options).redirect('/sign-in', 303);
  });
}

function renderSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { next, refused }: { next: string; refused?: Denied },
): FastifyReply {
  const failure = refused === undefined ? undefined : mapErrorToFailure(refused);
  if (failure?.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  return renderPage(request, reply, {
    title: 'Sign in',
    here: '/sign-in',
    // Not 401, which requires a WWW-Authenticate header that browsers would act on.
    status: failure?.status === 401 ? 403 : (failure?.status ?? 200),
    body: (
      <>
        {failure === undefined ? null : (
          <p class="wrong" role="alert">
            {failure.detail}
          </p>
        )}
        <Form action="/sign-in">
          <input type="hidden" name="next" value={next} />
          <Field
            name="token"
            label="Token"
            kind="password"
            autocomplete="current-password"
            help="Starts with st_. Ask the operator of this server, who can create one: strandline token create --name NAME --scope read"
            required
          />
          <Button words="Sign in" kind="main" />
        </Form>
      </>
    ),
  });
}
