/** Rules: made, edited, paused, removed, and tried on the past. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { InvalidInput, type Problem, Refused } from '../../../errors.ts';
import { changeRule, createRule, editRule, type RuleChange, ruleRow } from '../../../monitor/tell/rules.ts';
import { DAYS_MAX, tryRule } from '../../../monitor/tell/try.ts';
import { slugOf } from '../../../monitor/topic/slug-of.ts';
import { readSearches } from '../../../store/reads/searches.ts';
import { readTopics } from '../../../store/reads/topics.ts';
import { readChannels, type RuleRow } from '../../../store/tell/reads.ts';
import type { App, WebHome } from '../../routes.ts';
import { formBody, one, slugParams } from '../actions/given.ts';
import { type DoneCode, goOn } from '../kit/done.tsx';
import { Act, type Given } from '../kit/form.tsx';
import { May } from '../kit/may.tsx';
import { Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Past } from './past.tsx';
import { atRuleField, type Choices, RuleForm, ruleIn } from './rule-form.tsx';

type Ctx = WebHome['ctx'];
type Come = { given?: Given; problems?: readonly Problem[]; status?: number };

const MOST = 500;
const USUAL_DAYS = 14;

const CHANGES = [
  ['pause', 'rule_paused'],
  ['resume', 'rule_resumed'],
  ['remove', 'rule_removed'],
] as const satisfies readonly (readonly [RuleChange, DoneCode])[];

export function rulePages(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams };
  const days = z.object({ days: z.coerce.number().int().min(1).max(DAYS_MAX).default(USUAL_DAYS) });

  app.get('/alerts/rules/new', { config: { scope: 'write' } }, async (request, reply) =>
    showForm(ctx, request, reply, null),
  );

  app.post(
    '/alerts/rules',
    { schema: { body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const given = { on: [], channels: [], ...request.body };
      const rule = ruleIn(given);
      try {
        const made = await createRule(request.acting, {
          ...rule,
          slug: one(given, 'slug') ?? slugOf(rule.name ?? ''),
        });
        return goOn(reply, `/alerts/rules/${made.slug}`, 'rule_made');
      } catch (error) {
        return showForm(ctx, request, reply, null, comeBack(error, given));
      }
    },
  );

  app.get('/alerts/rules/:slug', { schema, config: { scope: 'read' } }, async (request, reply) =>
    showForm(ctx, request, reply, await ruleRow(ctx, request.params.slug)),
  );

  app.post(
    '/alerts/rules/:slug',
    { schema: { ...schema, body: formBody }, config: { scope: 'write' } },
    async (request, reply) => {
      const given = { on: [], channels: [], ...request.body };
      const rule = await ruleRow(ctx, request.params.slug);
      try {
        await editRule(request.acting, rule.slug, { ...ruleIn(given), name: one(given, 'name') ?? '' });
        return goOn(reply, `/alerts/rules/${rule.slug}`, 'rule_saved');
      } catch (error) {
        return showForm(ctx, request, reply, rule, comeBack(error, given));
      }
    },
  );

  app.get(
    '/alerts/rules/:slug/past',
    { schema: { ...schema, querystring: days }, config: { scope: 'read' } },
    async (request, reply) => {
      const rule = await ruleRow(ctx, request.params.slug);
      const past = await tryRule(ctx, rule.slug, request.query.days);
      return showPage(request, reply, {
        title: `What ${rule.name} would have said`,
        here: '/alerts',
        above: <RulePath rule={rule} />,
        body: <Past rule={rule} past={past} days={request.query.days} />,
      });
    },
  );

  for (const [change, code] of CHANGES)
    app.post(
      `/alerts/rules/:slug/${change}`,
      { schema, config: { scope: 'write' } },
      async (request, reply) => {
        const { slug } = request.params;
        await changeRule(request.acting, slug, change);
        return goOn(reply, change === 'remove' ? '/alerts' : `/alerts/rules/${slug}`, code);
      },
    );

  app.get('/alerts/rules/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const rule = await ruleRow(ctx, request.params.slug);
    return showPage(request, reply, {
      title: `Remove ${rule.name}?`,
      here: '/alerts',
      above: <RulePath rule={rule} />,
      lead: 'What it had not sent yet is cancelled. What was sent stays among the deliveries.',
      body: (
        <div class="buttons">
          <Act action={`/alerts/rules/${rule.slug}/remove`} words="Remove this rule" kind="danger" />
          <a href={`/alerts/rules/${rule.slug}`}>Keep it</a>
        </div>
      ),
    });
  });
}

/** @throws what is not about what was typed */
function comeBack(error: unknown, given: Given): Come {
  if (error instanceof InvalidInput) return { given, problems: error.problems.map(atRuleField), status: 400 };
  if (error instanceof Refused && error.kind === 'conflict')
    return {
      given,
      problems: [{ path: 'slug', given: one(given, 'slug'), expected: `another one: ${error.message}` }],
      status: 409,
    };
  throw error;
}

async function showForm(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: RuleRow | null,
  { given, problems = [], status = 200 }: Come = {},
): Promise<FastifyReply> {
  const choices = await choicesOf(ctx);
  return showPage(request, reply, {
    title: rule === null ? 'New rule' : rule.name,
    here: '/alerts',
    above: rule === null ? <a href="/alerts">Alerts</a> : <RulePath rule={rule} />,
    status,
    aside:
      rule === null ? undefined : (
        <May scope="write">
          <RuleButtons rule={rule} />
        </May>
      ),
    body: (
      <>
        <RuleForm rule={rule} given={given} problems={problems} choices={choices} />
        {rule === null ? null : (
          <Section title="On the past">
            <p>
              <a href={`/alerts/rules/${rule.slug}/past?days=${USUAL_DAYS}`}>
                What it would have said over the last {USUAL_DAYS} days
              </a>
              . Nothing is sent for that.
            </p>
          </Section>
        )}
      </>
    ),
  });
}

function RuleButtons({ rule: { slug, state } }: { rule: RuleRow }) {
  return (
    <div class="buttons">
      {state === 'active' ? (
        <Act action={`/alerts/rules/${slug}/pause`} words="Pause" icon="pause" />
      ) : (
        <Act action={`/alerts/rules/${slug}/resume`} words="Resume" icon="play" />
      )}
      <a href={`/alerts/rules/${slug}/remove`}>Remove</a>
    </div>
  );
}

function RulePath({ rule: { slug } }: { rule: RuleRow }) {
  return (
    <>
      <a href="/alerts">Alerts</a> / <a href={`/alerts/rules/${slug}`}>{slug}</a>
    </>
  );
}

async function choicesOf({ db }: Ctx): Promise<Choices> {
  const [topics, searches, channels] = await Promise.all([
    readTopics(db, { limit: MOST }),
    readSearches(db, { limit: MOST }),
    readChannels(db, { limit: MOST }),
  ]);
  return { topics, searches, channels };
}
