/** Error pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../monitor/access/visitor-scopes.ts';
import { type Failure, mapErrorToFailure } from '../../monitor/http/error-statuses.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { redirectWithFlash } from './flash-message.tsx';
import { describeProblem } from './form.tsx';
import { correctAddress } from '../nearest-address.ts';
import { createFrame } from './page-frame.tsx';
import { EmptyState, Section } from './section.tsx';
import { renderPage } from './page-layout.tsx';

/** Renders errors as pages; redirects to the sign-in page, and back, if a token is needed. */
export function addErrorPages(app: App, routeContext: RouteContext): void {
  app.decorateRequest('frame');
  app.setErrorHandler((error, request, reply) => {
    const failure = mapErrorToFailure(error, request);
    if (failure.status >= 500)
      routeContext.ctx.log.error({ err: error, request: request.id }, 'a page failed');
    if (failure.status === 401 && request.method === 'GET')
      return reply.redirect(`/sign-in?${new URLSearchParams({ next: request.url }).toString()}`, 303);
    if (failure.status === 400 && request.method === 'GET') {
      const nearest = correctAddress(error, request.url);
      if (nearest !== undefined) {
        request.frame = createFrame(request, routeContext);
        return redirectWithFlash(reply, nearest, 'address_corrected');
      }
    }
    // The failed read may be that of the frame, so it is created again without topics.
    request.frame = createFrame(request, routeContext);
    return renderErrorPage(request, reply, failure);
  });
}

function renderErrorPage(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { status, code, title, detail, errors, retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const words = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
  return renderPage(request, reply, {
    title,
    here: '',
    status,
    above: `Status ${status}`,
    body: (
      <>
        <EmptyState
          words={errors.length === 0 ? words : 'Correct the values below and try again.'}
          todo={{ words: 'Back to the overview', href: '/' }}
        />
        {errors.length === 0 ? null : (
          <Section title="Invalid input">
            <ul class="plain">
              {errors.map((problem) => (
                <li>
                  <code>{problem.path}</code>: {describeProblem(problem)}
                </li>
              ))}
            </ul>
          </Section>
        )}
        {code === 'scope' ? <ScopeHint scope={request.routeOptions.config.scope} /> : null}
        {status < 500 ? null : (
          <p class="hint">
            Request ID: <code>{request.id}</code>
          </p>
        )}
      </>
    ),
  });
}

/** How to get a token with the missing scope. */
function ScopeHint({ scope = [] }: { scope: 'open' | Scope | readonly Scope[] | undefined }) {
  return (
    <p class="hint">
      Ask the operator of this server for a token with this scope:{' '}
      <code>strandline token create --name NAME --scope {[scope].flat().join(',')}</code>. Then sign out and
      sign in with it.
    </p>
  );
}
