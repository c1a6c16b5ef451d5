/** Changes of several topics at once: paused and resumed at once, muted, labelled and removed by a form that names them. */
import { FUTURE_TIME_EXPECTED, parseFutureTime } from '../../lib/future-time.ts';
import { formatCount, nameZone } from '../../lib/display-format.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { mute } from '../../monitor/alerts/manage-mutes.ts';
import type { ActingContext } from '../../monitor/context.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { editSearch } from '../../monitor/topics/save-search.ts';
import { changeTopic } from '../../monitor/topics/search-state.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { type FlashCode, redirectWithFlash } from '../components/flash-message.tsx';
import { Button, Field, Form } from '../components/form.tsx';
import { writeAddress } from '../components/list-address.ts';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { formBody, type FormOutcome, readField, readFieldList, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** Changes that a form asks more about. */
const ASKED = ['mute', 'label', 'remove'] as const;
type Asked = (typeof ASKED)[number];

/** As many as the overview lists. */
const MAX_SELECTED = 200;
const MAX_SEARCHES = 1_000;

const querystring = z.object({ do: z.enum(ASKED), topics: z.string().max(MAX_SELECTED * 64) });

const DONE: Readonly<Record<Asked | 'pause' | 'resume', FlashCode>> = {
  pause: 'topics_paused',
  resume: 'topics_resumed',
  mute: 'muted',
  label: 'saved',
  remove: 'removed',
};

export function addSelectionPages(app: App, { ctx }: RouteContext): void {
  const body = formBody;

  app.get('/selection', { schema: { querystring }, config: { scope: 'write' } }, async (request, reply) => {
    const { do: change, topics } = request.query;
    return renderForm(request, reply, change, await findSelected(topics.split(',')));
  });

  app.post('/selection', { schema: { body }, config: { scope: 'write' } }, async (request, reply) => {
    const slugs = readFieldList(request.body, 'topics').slice(0, MAX_SELECTED);
    const change = readField(request.body, 'do');
    if (slugs.length === 0) return redirectWithFlash(reply, '/', 'none_selected');
    if (change === 'compare')
      return reply.redirect(writeAddress('/compare', { topics: slugs.join(',') }), 303);
    if (change === 'pause') return applyToEach(request, reply, slugs, change, pauseTopic);
    const asked = ASKED.find((each) => each === change);
    if (asked === undefined)
      throw new InvalidInput([{ path: 'do', given: change, expected: `pause, ${ASKED.join(', ')}` }]);
    if (readField(request.body, 'confirmed') === undefined)
      return reply.redirect(writeAddress('/selection', { do: asked, topics: slugs.join(',') }), 303);
    try {
      return await applyToEach(request, reply, slugs, asked, readChange(asked, request));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return renderForm(request, reply, asked, await findSelected(slugs), toFormOutcome(error, request.body));
    }
  });

  // Resuming needs `run`, because it leads to calls, which may cost money.
  app.post(
    '/selection/resume',
    { schema: { body }, config: { scope: ['write', 'run'] } },
    async (request, reply) => {
      const slugs = readFieldList(request.body, 'topics').slice(0, MAX_SELECTED);
      if (slugs.length === 0) return redirectWithFlash(reply, '/', 'none_selected');
      return applyToEach(request, reply, slugs, 'resume', (acting, slug) =>
        changeTopic(acting, slug, 'resume'),
      );
    },
  );

  const pauseTopic = (acting: ActingContext, slug: string) => changeTopic(acting, slug, 'pause');

  /** What the form asks for, of one topic. @throws InvalidInput */
  function readChange(change: Asked, { body: form, frame }: FastifyRequest & { body: SelectionForm }) {
    if (change === 'remove')
      return (acting: ActingContext, slug: string): Promise<unknown> => changeTopic(acting, slug, 'remove');
    if (change === 'mute') {
      const text = readField(form, 'until') ?? '';
      const until = parseFutureTime(text, frame.zone);
      if (until === undefined)
        throw new InvalidInput([{ path: 'until', given: text, expected: FUTURE_TIME_EXPECTED }]);
      return (acting: ActingContext, slug: string): Promise<unknown> =>
        mute(acting, { scope: 'topic', slug }, until);
    }
    const label = readField(form, 'label');
    if (label === undefined)
      throw new InvalidInput([{ path: 'label', given: label, expected: '1 to 60 characters' }]);
    return (acting: ActingContext, slug: string): Promise<unknown> =>
      labelTopic(acting, slug, label, readField(form, 'how') !== 'remove');
  }

  /** Labels belong to searches: those of a topic get it, or lose it. */
  async function labelTopic(acting: ActingContext, topic: string, label: string, adds: boolean) {
    for (const { slug, labels } of await readSearches(ctx.db, { topic, limit: MAX_SEARCHES })) {
      if (labels.includes(label) === adds) continue;
      const others = labels.filter((each) => each !== label);
      await editSearch(acting, slug, { labels: adds ? [...others, label] : others });
    }
  }

  async function findSelected(slugs: readonly string[]): Promise<TopicRow[]> {
    const topics = await readTopics(ctx.db, { limit: MAX_SELECTED });
    return topics.filter(({ slug }) => slugs.includes(slug));
  }
}

type SelectionForm = z.infer<typeof formBody>;

/** Each topic by itself, with an entry of its own in the audit log; those that were removed meanwhile are left out. */
async function applyToEach(
  request: FastifyRequest,
  reply: FastifyReply,
  slugs: readonly string[],
  change: Asked | 'pause' | 'resume',
  apply: (acting: ActingContext, slug: string) => Promise<unknown>,
): Promise<FastifyReply> {
  for (const slug of slugs)
    try {
      await apply(request.acting, slug);
    } catch (error) {
      if (!(error instanceof Refused && error.kind !== 'unavailable')) throw error;
    }
  return redirectWithFlash(reply, '/', DONE[change]);
}

const TITLES: Readonly<Record<Asked, (topics: string) => string>> = {
  mute: (topics) => `Mute ${topics}`,
  label: (topics) => `Label ${topics}`,
  remove: (topics) => `Remove ${topics}?`,
};

const LEADS: Readonly<Record<Asked, string>> = {
  mute: 'Collection goes on. When the mute ends, one message for each rule and channel sums up what was held back.',
  label: 'Every search of these topics gets the label, or loses it.',
  remove:
    'Their schedules and queued runs are deleted; everything found is kept. A removed topic cannot be restored, and its short name cannot be reused. To stop for a while, pause instead.',
};

function renderForm(
  request: FastifyRequest,
  reply: FastifyReply,
  change: Asked,
  topics: readonly TopicRow[],
  { values = {}, problems = [], status = 200 }: FormOutcome = {},
) {
  const title = TITLES[change](formatCount(topics.length, 'topic'));
  return renderPage(request, reply, {
    status,
    title,
    here: '/',
    lead: LEADS[change],
    body:
      topics.length === 0 ? (
        <EmptyState words="No topics are selected." todo={{ words: 'Back to the overview', href: '/' }} />
      ) : (
        <Form
          action="/selection"
          label={title}
          values={values}
          problems={problems}
          labels={{ until: 'Until', label: 'Label' }}
        >
          <ul class="plain">
            {topics.map(({ slug, name }) => (
              <li>
                <input type="hidden" name="topics" value={slug} />
                <a href={`/topics/${slug}`}>
                  <UntrustedText text={name} most={120} />
                </a>
              </li>
            ))}
          </ul>
          <input type="hidden" name="confirmed" value="yes" />
          <ChangeFields change={change} zone={request.frame.zone} />
          <div class="buttons">
            <Button
              words={change === 'remove' ? 'Remove these topics' : change === 'mute' ? 'Mute' : 'Save'}
              kind={change === 'remove' ? 'danger' : 'main'}
              name="do"
              value={change}
            />
            <a href="/">Cancel</a>
          </div>
        </Form>
      ),
  });
}

function ChangeFields({ change, zone }: { change: Asked; zone: string }) {
  if (change === 'remove') return null;
  if (change === 'mute')
    return (
      <Field
        name="until"
        label="Until"
        value="tomorrow 9:00"
        autocomplete="off"
        help={`8h, 2d, 9:00, tomorrow 9:00, friday 9:00 (${nameZone(zone)}), or a date such as 2026-11-30T09:00Z; at most 366 days.`}
      />
    );
  return (
    <>
      <Field name="label" label="Label" autocomplete="off" placeholder="harbour" required />
      <Field
        name="how"
        label="Change"
        kind="select"
        options={[
          ['add', 'add it'],
          ['remove', 'take it away'],
        ]}
      />
    </>
  );
}
