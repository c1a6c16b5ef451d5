/** The goal of a topic: what its news is about, tried before it is saved; and what was judged by it. */
import { describeVerdict } from '../../model/judging.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refused } from '../../model/errors.ts';
import { idKey, MAX_GOAL_LENGTH } from '../../model/value-shapes.ts';
import { type GoalTrial, tryGoal } from '../../monitor/goals/try-goal.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { describeMissingJudge, setGoal } from '../../monitor/topics/topic-goal.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import {
  type JudgementRow,
  readJudgements,
  RELEVANCES,
  type Relevance,
} from '../../store/queries/judgements.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { Button, Field, Form } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Pager, ScopeLinks, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import {
  emptyField,
  formBody,
  type FormOutcome,
  readField,
  slugParams,
  toFormOutcome,
} from '../request-input.ts';
import { RELEVANCE_NAMES, VerdictText } from './verdict-text.tsx';

const SHOWN = 50;
/** UTF-16 units of a text in a row. */
const MAX_TEXT = 200;

const goalQuery = z.object({ is: z.enum(RELEVANCES).optional(), after: emptyField.or(idKey).optional() });

export function addGoalPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  app.get(
    '/topics/:slug/goal',
    { schema: { ...schema, querystring: goalQuery }, config: { scope: 'read' } },
    async (request, reply) => show(request, reply, request.params.slug, request.query),
  );

  app.post(
    '/topics/:slug/goal',
    { schema: { ...schema, body: formBody }, config: { scope: CREATE_TOPIC_SCOPES } },
    async (request, reply) => {
      const { body } = request;
      const { slug } = request.params;
      const goal = readField(body, 'goal') ?? '';
      try {
        if (readField(body, 'do') === 'try') {
          const trial = await tryGoal(ctx, slug, goal, abortOnClose(reply));
          return await show(request, reply, slug, {}, { values: body }, trial);
        }
        await setGoal(request.acting, slug, goal);
      } catch (error) {
        // What was typed stays, and can be tried again.
        if (error instanceof Refused && error.kind === 'unavailable') {
          const problems = [{ path: 'goal', given: goal, expected: `try again later: ${error.message}` }];
          return show(request, reply, slug, {}, { values: body, problems, status: 503 });
        }
        return show(request, reply, slug, {}, toFormOutcome(error, body, 'goal'));
      }
      return redirectWithFlash(reply, `/topics/${slug}/goal`, 'saved');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    named: string,
    { is, after }: z.output<typeof goalQuery>,
    { values, problems = [], status = 200 }: FormOutcome = {},
    trial: GoalTrial | null = null,
  ): Promise<FastifyReply> {
    const topic = await findTopicRow(ctx.db, named);
    const { slug, goal } = topic;
    const last = typeof after === 'bigint' ? after : undefined;
    const rows =
      goal === null
        ? []
        : await readJudgements(ctx.db, { topic: slug, relevance: is, after: last, limit: SHOWN });
    return renderPage(request, reply, {
      status,
      title: `Goal of ${topic.name}`,
      here: '',
      above: <ScopeLinks scope={{ topic: slug }} />,
      lead: 'Only tell me about: a language model judges each new story, and rules and digests use what is relevant. Lists and SQL keep everything.',
      body: (
        <>
          {topic.archived_at === null ? (
            <IfAllowed scope={CREATE_TOPIC_SCOPES}>
              <Form
                action={`/topics/${slug}/goal`}
                values={values}
                problems={problems}
                label="Goal of the topic"
                labels={{ goal: 'Only tell me about' }}
              >
                <Field
                  name="goal"
                  label="Only tell me about"
                  kind="textarea"
                  rows={2}
                  value={goal ?? ''}
                  placeholder="rulings and filings, not opinion"
                  help={describeGoalField(ctx)}
                />
                <div class="buttons">
                  <Button words="Save" kind="main" name="do" value="save" />
                  {ctx.judge === null ? null : (
                    <Button words="Try on the last day" icon="run" name="do" value="try" />
                  )}
                </div>
              </Form>
            </IfAllowed>
          ) : null}
          {trial === null ? null : <Trial trial={trial} />}
          {goal === null ? null : <Judged slug={slug} rows={rows} is={is} isFirst={last === undefined} />}
        </>
      ),
    });
  }
}

/** Help of the field, which says what is missing. */
export function describeGoalField(ctx: Pick<RouteContext['ctx'], 'judge' | 'kind'>): string {
  if (describeMissingJudge(ctx) === undefined)
    return `At most ${MAX_GOAL_LENGTH} characters. Empty: everything is news.`;
  return ctx.kind === 'sandbox'
    ? 'No language model is asked about simulated texts.'
    : 'Needs a language model: set LLM_BASE_URL and LLM_MODEL, and restart.';
}

function Trial({ trial: { stories, found, problem } }: { trial: GoalTrial }) {
  const relevant = stories.filter(({ verdict }) => verdict?.relevant === true).length;
  const words = `${relevant} of ${formatCount(stories.length, 'story', 'stories')} of the last day would be reported${
    found > stories.length ? `, the newest of ${found}` : ''
  }. Nothing was saved.`;
  return (
    <Section title="Trial" id="trial" note={problem === null ? words : `${words} ${problem}`}>
      <Table
        empty="The topic found nothing in the last day to try it on."
        caption="Stories of the last day, the newest first"
        rows={stories}
        columns={[
          {
            head: 'Story',
            cell: ({ kind, id, text, verdict }) => (
              <>
                <a href={`/${kind}s/${id}`}>
                  <UntrustedText text={text} most={MAX_TEXT} />
                </a>
                <VerdictText {...describeVerdict(verdict)} />
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Judged({
  slug,
  rows,
  is,
  isFirst,
}: {
  slug: string;
  rows: readonly JudgementRow[];
  is: Relevance | undefined;
  isFirst: boolean;
}) {
  const addressOf = (relevance: Relevance | undefined) =>
    `/topics/${slug}/goal${relevance === undefined ? '' : `?is=${relevance}`}`;
  const path = addressOf(is);
  const last = rows.length === SHOWN ? rows.at(-1) : undefined;
  return (
    <Section
      title="Judged"
      id="judged"
      aside={
        <Tabs
          label="Relevance"
          tabs={[
            { href: addressOf(undefined), words: 'All', here: is === undefined },
            ...RELEVANCES.map((name) => ({
              href: addressOf(name),
              words: RELEVANCE_NAMES[name],
              here: name === is,
            })),
          ]}
        />
      }
    >
      <Table
        empty="Nothing."
        caption="Posts and links, the newest first"
        rows={rows}
        columns={[
          {
            head: 'What',
            cell: ({ kind, item_id: id, text, url, relevant, why, waiting }) => (
              <>
                <a href={`/${kind}s/${id}`}>
                  <UntrustedText text={text ?? url ?? 'no text'} most={MAX_TEXT} />
                </a>
                <VerdictText relevant={relevant} why={why} waiting={waiting} />
              </>
            ),
          },
          { head: 'Found', cell: ({ found_at: at }) => <Timestamp at={at} /> },
        ]}
      />
      <Pager
        first={isFirst ? null : path}
        next={last === undefined ? null : `${path}${is === undefined ? '?' : '&'}after=${last.discovery_id}`}
        words="Earlier"
      />
    </Section>
  );
}
