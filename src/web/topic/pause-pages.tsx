/** Pauses of a search, a topic, and all searches: at once by a button, and with an end by a form. */

import { FUTURE_TIME_EXPECTED, parseFutureTime } from '../../lib/future-time.ts';
import { formatWithWeekday, nameZone } from '../../lib/display-format.ts';
import { InvalidInput } from '../../model/errors.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { assertSearchNotRemoved, assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { changeAll, changeSearch, changeTopic, type PauseEnd } from '../../monitor/topics/search-state.ts';
import type { PauseOfAll } from '../../store/topics/pauses.ts';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form, type FormValues } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { formBody, type FormOutcome, readField, slugParams, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a form pauses. */
type PauseTarget = { name: string; action: string; back: string; goes: string };

export function addPausePages(app: App, { ctx }: RouteContext): void {
  const scope = 'write';
  const schema = { params: slugParams };
  const body = formBody.nullish().transform((form): FormValues => form ?? {});

  app.get('/searches/:slug/pause', { schema, config: { scope } }, async (request, reply) =>
    renderForm(request, reply, await findSearchTarget(request)),
  );
  app.get('/topics/:slug/pause', { schema, config: { scope } }, async (request, reply) =>
    renderForm(request, reply, await findTopicTarget(request.params.slug)),
  );
  app.get('/pause', { config: { scope } }, async (request, reply) => renderForm(request, reply, ALL));

  app.post(
    '/searches/:slug/pause',
    { schema: { ...schema, body }, config: { scope } },
    async (request, reply) => {
      const { slug } = request.params;
      const refused = await pause(request, (until) => changeSearch(request.acting, slug, 'pause', until));
      if (refused !== null) return renderForm(request, reply, await findSearchTarget(request), refused);
      return redirectWithFlash(reply, `/searches/${slug}`, 'paused');
    },
  );
  app.post(
    '/topics/:slug/pause',
    { schema: { ...schema, body }, config: { scope } },
    async (request, reply) => {
      const { slug } = request.params;
      const refused = await pause(request, (until) => changeTopic(request.acting, slug, 'pause', until));
      if (refused !== null) return renderForm(request, reply, await findTopicTarget(slug), refused);
      return redirectWithFlash(reply, `/topics/${slug}`, 'paused');
    },
  );
  app.post('/pause', { schema: { body }, config: { scope } }, async (request, reply) => {
    const refused = await pause(request, (until) => changeAll(request.acting, 'pause', until));
    if (refused !== null) return renderForm(request, reply, ALL, refused);
    return redirectWithFlash(reply, '/system', 'all_paused');
  });
  app.post('/resume', { config: { scope: ['write', 'run'] } }, async (request, reply) => {
    await changeAll(request.acting, 'resume');
    return redirectWithFlash(reply, '/system', 'all_resumed');
  });

  async function findSearchTarget({
    params: { slug },
    frame,
  }: FastifyRequest<{ Params: { slug: string } }>): Promise<PauseTarget> {
    await assertSearchNotRemoved(ctx.db, slug);
    return {
      name: nameSearchOf(frame, slug),
      action: `/searches/${slug}/pause`,
      back: `/searches/${slug}`,
      goes: 'its queued runs',
    };
  }

  async function findTopicTarget(slug: string): Promise<PauseTarget> {
    const { name } = await assertTopicNotRemoved(ctx.db, slug);
    return {
      name,
      action: `/topics/${slug}/pause`,
      back: `/topics/${slug}`,
      goes: 'queued runs of its searches',
    };
  }
}

const ALL: PauseTarget = { name: 'all searches', action: '/pause', back: '/system', goes: 'all queued runs' };

/** @returns the form again if its time cannot be read or is over; null if it paused */
async function pause(
  request: FastifyRequest<{ Body: FormValues }>,
  apply: (until: PauseEnd) => Promise<unknown>,
): Promise<Required<FormOutcome> | null> {
  const text = readField(request.body, 'until');
  try {
    await apply(text === undefined ? undefined : readEnd(text, request.frame.zone));
    return null;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return toFormOutcome(error, request.body);
  }
}

function readEnd(text: string, zone: string): PauseEnd {
  const until = parseFutureTime(text, zone);
  if (until === undefined)
    throw new InvalidInput([{ path: 'until', given: text, expected: FUTURE_TIME_EXPECTED }]);
  return until;
}

function renderForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, action, back, goes }: PauseTarget,
  { values = {}, problems = [], status = 200 }: FormOutcome = {},
) {
  return renderPage(request, reply, {
    status,
    title: `Pause ${name}`,
    here: '',
    lead: `Cancels ${goes}; runs in progress finish. Nothing is collected during the pause, and the schedule continues after it.`,
    body: (
      <Form
        action={action}
        label={`Pause ${name}`}
        values={values}
        problems={problems}
        labels={{ until: 'Until' }}
      >
        <Field
          name="until"
          label="Until"
          placeholder="friday 9:00"
          autocomplete="off"
          help={`2h, 9:00, tomorrow 9:00, friday 9:00 (${nameZone(request.frame.zone)}), or a date such as 2026-11-30T09:00Z. Empty: until somebody resumes.`}
        />
        <div class="buttons">
          <Button words="Pause" kind="main" icon="pause" />
          <a href={back}>Cancel</a>
        </div>
      </Form>
    ),
  });
}

/** Says that all searches are paused, with the button that resumes them. */
export function PauseOfAllNotice({ pause: held }: { pause: PauseOfAll | null }) {
  const frame = useFrame();
  if (held === null) return null;
  const end =
    held.until === null
      ? 'until somebody resumes them'
      : `until ${formatWithWeekday(held.until, frame, false)}`;
  return (
    <div class="status-line">
      <span>
        {formatCount(held.searches, 'search', 'searches')} paused with all searches {end}.
      </span>
      {hasScopes(frame.visitor, ['write', 'run']) ? (
        <ActionButton action="/resume" words="Resume all" icon="play" />
      ) : null}
    </div>
  );
}

/** Pauses all searches that run. */
export function PauseAllButtons() {
  const { visitor } = useFrame();
  if (!hasScopes(visitor, 'write')) return null;
  return (
    <>
      <ActionButton action="/pause" words="Pause all" icon="pause" />
      <a class="button" href="/pause">
        Pause all until…
      </a>
    </>
  );
}
