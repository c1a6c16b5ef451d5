/** What could not be done, on a page of its own. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../../monitor/access/scopes.ts';
import { type Failure, failureOf } from '../../failure.ts';
import type { App, WebHome } from '../../routes.ts';
import { wordsOf } from './form.tsx';
import { frameOf } from './frame.ts';
import { Empty, Section } from './section.tsx';
import { showPage } from './show.tsx';

/** Answers errors of pages by a page; whoever must come in first is sent to the door and back. */
export function addFailures(app: App, home: WebHome): void {
  app.decorateRequest('frame');
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, request);
    if (failure.status >= 500) home.ctx.log.error({ err: error, request: request.id }, 'a page failed');
    if (failure.status === 401 && request.method === 'GET')
      return reply.redirect(`/sign-in?${new URLSearchParams({ next: request.url }).toString()}`, 303);
    // What failed may be what the frame reads: it is made again, without the topics.
    request.frame = frameOf(request, home);
    return showFailure(request, reply, failure);
  });
}

function showFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { status, code, title, detail, errors, retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const words = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
  return showPage(request, reply, {
    title,
    here: '',
    status,
    above: `Status ${status}`,
    body: (
      <>
        <Empty words={words} todo={{ words: 'To the overview', href: '/' }} />
        {errors.length === 0 ? null : (
          <Section title="What is not as it must be">
            <ul class="plain">
              {errors.map((problem) => (
                <li>
                  <code>{problem.path}</code>: {wordsOf(problem)}
                </li>
              ))}
            </ul>
          </Section>
        )}
        {code === 'scope' ? <WiderToken scope={request.routeOptions.config.scope} /> : null}
        {status < 500 ? null : (
          <p class="hint">
            Number of this request: <code>{request.id}</code>
          </p>
        )}
      </>
    ),
  });
}

/** How one comes to do what this token may not. */
function WiderToken({ scope = [] }: { scope: 'open' | Scope | readonly Scope[] | undefined }) {
  return (
    <p class="hint">
      Whoever runs this server makes a token that may:{' '}
      <code>strandline token create --name NAME --scope {[scope].flat().join(',')}</code>. Sign out, and in
      again with it.
    </p>
  );
}
