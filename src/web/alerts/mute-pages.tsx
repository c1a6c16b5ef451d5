/** Mutes of a rule, a topic, and everything: a form with an end, buttons that lift them, and what is muted. */

import { FUTURE_TIME_EXPECTED, parseFutureTime } from '../../lib/future-time.ts';
import { formatWithWeekday, nameZone } from '../../lib/display-format.ts';
import { InvalidInput } from '../../model/errors.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { mute, type MuteTarget, unmute } from '../../monitor/alerts/manage-mutes.ts';
import { findRuleRow } from '../../monitor/alerts/manage-rules.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import type { MuteRow } from '../../store/alerts/mutes.ts';
import { readTopics } from '../../store/queries/topic-list.ts';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, type FieldOption, Form } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameTopic } from '../components/scope-names.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { formBody, type FormOutcome, readField, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const named = z.object({ rule: z.string().max(64).optional(), topic: z.string().max(64).optional() });
type Named = z.infer<typeof named>;

/** Topics to choose from. */
const MAX_TOPICS = 500;

export function addMutePages(app: App, { ctx }: RouteContext): void {
  const scope = 'write';
  app.get('/alerts/mute', { schema: { querystring: named }, config: { scope } }, async (request, reply) =>
    renderForm(request, reply, findTarget(request.query)),
  );

  app.post('/alerts/mute', { schema: { body: formBody }, config: { scope } }, async (request, reply) => {
    const target =
      parseOption(readField(request.body, 'what') ?? '') ?? findTarget(named.parse(request.body));
    const text = readField(request.body, 'until') ?? '';
    try {
      const until = parseFutureTime(text, request.frame.zone);
      if (until === undefined)
        throw new InvalidInput([{ path: 'until', given: text, expected: FUTURE_TIME_EXPECTED }]);
      await mute(request.acting, target, until);
      return await redirectWithFlash(reply, findPage(target), 'muted');
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return renderForm(request, reply, target, toFormOutcome(error, request.body));
    }
  });

  app.post('/alerts/unmute', { schema: { body: formBody }, config: { scope } }, async (request, reply) => {
    const target = findTarget(named.parse(request.body));
    const ended = await unmute(request.acting, target);
    return redirectWithFlash(reply, findPage(target), ended === null ? 'unchanged' : 'unmuted');
  });

  /** @throws Refused `not_found` */
  async function renderForm(
    request: FastifyRequest,
    reply: FastifyReply,
    target: MuteTarget,
    { values = {}, problems = [], status = 200 }: FormOutcome = {},
  ) {
    const name = await readName(target);
    const options = await listTargets(target, name);
    return renderPage(request, reply, {
      status,
      title: `Mute ${name}`,
      here: '/alerts',
      lead: 'Collection goes on. When the mute ends, one message for each rule and channel sums up what was held back.',
      body: (
        <Form
          action="/alerts/mute"
          label={`Mute ${name}`}
          values={values}
          problems={problems}
          labels={{ until: 'Until' }}
        >
          {options.length > 1 ? (
            <Field name="what" label="Messages" kind="select" value={writeOption(target)} options={options} />
          ) : (
            <input type="hidden" name="what" value={writeOption(target)} />
          )}
          <Field
            name="until"
            label="Until"
            placeholder="tomorrow 9:00"
            value="tomorrow 9:00"
            autocomplete="off"
            help={`8h, 2d, 9:00, tomorrow 9:00, friday 9:00 (${nameZone(request.frame.zone)}), or a date such as 2026-11-30T09:00Z; at most 366 days.`}
          />
          <div class="buttons">
            <Button words="Mute" kind="main" />
            <a href={findPage(target)}>Cancel</a>
          </div>
        </Form>
      ),
    });
  }

  /** A rule of several topics can be muted for one of them, which is muted in the messages of all rules then. */
  async function listTargets(target: MuteTarget, name: string): Promise<FieldOption[]> {
    const own: FieldOption = [writeOption(target), target.scope === 'rule' ? `the rule ${name}` : name];
    if (target.scope !== 'rule') return [own];
    const { topic, search } = await findRuleRow(ctx, target.slug);
    const all = await readTopics(ctx.db, { limit: MAX_TOPICS });
    const topics = all.filter(({ slug }) => (topic === null && search === null) || slug === topic);
    return [
      own,
      ...topics.map((row): FieldOption => [`topic:${row.slug}`, `the topic ${row.name}, in all rules`]),
    ];
  }

  async function readName(target: MuteTarget): Promise<string> {
    if (target.scope === 'rule') return (await findRuleRow(ctx, target.slug)).name;
    if (target.scope === 'topic') return (await assertTopicNotRemoved(ctx.db, target.slug)).name;
    return 'all messages';
  }
}

function findTarget({ rule, topic }: Named): MuteTarget {
  if (rule !== undefined) return { scope: 'rule', slug: rule };
  return topic === undefined ? { scope: 'all' } : { scope: 'topic', slug: topic };
}

const writeOption = (target: MuteTarget) =>
  target.scope === 'all' ? 'all' : `${target.scope}:${target.slug}`;

/** Undefined: the form named it by its own fields. */
function parseOption(what: string): MuteTarget | undefined {
  const [scope, slug = ''] = what.split(':');
  if (scope === 'all') return { scope };
  return scope === 'rule' || scope === 'topic' ? { scope, slug } : undefined;
}

function writeTarget(target: MuteTarget): Record<string, string> {
  return target.scope === 'all' ? {} : { [target.scope]: target.slug };
}

function findPage(target: MuteTarget): string {
  if (target.scope === 'rule') return `/alerts/rules/${target.slug}`;
  return target.scope === 'topic' ? `/topics/${target.slug}` : '/alerts';
}

/** Mutes, or lifts the mute, if the visitor may. @param props.until end of the mute; a past one is over */
export function MuteButton({ target, until }: { target: MuteTarget; until: Date | null }) {
  const { visitor, now } = useFrame();
  if (!hasScopes(visitor, 'write')) return null;
  const fields = writeTarget(target);
  if (until !== null && until > now)
    return <ActionButton action="/alerts/unmute" words="Unmute" fields={fields} />;
  const query = new URLSearchParams(fields).toString();
  return (
    <a class="button" href={`/alerts/mute${query === '' ? '' : `?${query}`}`}>
      Mute until…
    </a>
  );
}

/** `Muted until Fri, 27 Nov, 09:00.`; nothing if it is not muted. */
export function MuteNotice({ until }: { until: Date | null }) {
  const frame = useFrame();
  if (until === null || until <= frame.now) return null;
  return (
    <p class="advice">
      Messages muted until {formatWithWeekday(until, frame, false)}. One message will sum up what is held
      back.
    </p>
  );
}

/** What is muted, until when, and how much is held back; nothing if nothing is. */
export function MutesSection({
  mutes,
  ruleNames,
}: {
  mutes: readonly MuteRow[];
  /** By slug. */
  ruleNames: ReadonlyMap<string, string>;
}) {
  const frame = useFrame();
  const nameOf = ({ scope, slug }: MuteRow) =>
    slug === null
      ? 'Everything'
      : `${scope} ${scope === 'topic' ? nameTopic(frame, slug) : (ruleNames.get(slug) ?? slug)}`;
  if (mutes.length === 0) return null;
  return (
    <Section
      title="Muted"
      note="When a mute ends, one message for each rule and channel sums up what it held back."
    >
      {mutes.map((row) => {
        const target = row.slug === null ? { scope: 'all' as const } : findTarget({ [row.scope]: row.slug });
        return (
          <div class="line">
            <span class="line-what">
              {row.slug === null ? nameOf(row) : <a href={findPage(target)}>{nameOf(row)}</a>} until{' '}
              {formatWithWeekday(row.until, frame, false)}: {formatCount(row.held, 'new item')} held back
            </span>
            <span class="line-more">
              <MuteButton target={target} until={row.until} />
            </span>
          </div>
        );
      })}
    </Section>
  );
}
