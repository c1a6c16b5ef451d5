/** A new topic, or more searches for one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import type { ActingContext } from '../../monitor/context.ts';
import { trySearch } from '../../monitor/runs/trial.ts';
import { isAddress, watch } from '../../monitor/sources/watch-address.ts';
import { addSearches, createSlug, createTopic } from '../../monitor/topics/save-topic.ts';
import { assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { chooseServiceKind, findDefaultKind, waitsForSource } from '../../monitor/topics/service-choice.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { findTopic } from '../../store/topics/topics.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import { chooseFormStatus, formBody, readField, toFormProblems } from '../request-input.ts';
import { redirectWithFlash } from '../components/flash-message.tsx';
import type { FieldProblem, FormValues } from '../components/form.tsx';
import { CREATE_TOPIC_SCOPES, FrameProvider } from '../components/page-frame.tsx';
import { renderHtml } from '../components/page-html.ts';
import { renderPage } from '../components/page-layout.tsx';
import { forecastSearches } from '../../monitor/topics/search-forecast.ts';
import { describeGoalField } from '../topic/goal-page.tsx';
import { ForecastView } from './search-forecast.tsx';
import {
  INITIAL_VALUES,
  NewForm,
  parsePart,
  parseParts,
  parseTopic,
  PART_NAMES,
  type PartName,
  PARTS,
  placePartProblem,
  placeProblems,
} from './new-topic-form.tsx';
import { catchTrial, type TrialOutcome } from './search-trial.tsx';

type Ctx = RouteContext['ctx'];
type FormOutcome = { problems?: readonly FieldProblem[]; tried?: TrialOutcome; status?: number };

export function addNewTopicPages(app: App, { ctx }: RouteContext): void {
  const querystring = z.object({
    topic: z.string().max(63).optional(),
    text: z.string().max(2_000).optional(),
  });

  app.get(
    '/new',
    { schema: { querystring }, config: { scope: CREATE_TOPIC_SCOPES } },
    async (request, reply) => renderNewTopic(ctx, request, reply, { ...INITIAL_VALUES, ...request.query }),
  );

  // The script fetches this fragment while a person types.
  app.get(
    '/new/forecast',
    { schema: { querystring: formBody }, config: { scope: 'read' } },
    async (request, reply) => {
      const forecast = await forecastForm(ctx, request.query, findDefaultKind(ctx));
      const html =
        forecast === null
          ? ''
          : renderHtml(
              <FrameProvider value={request.frame}>
                <ForecastView forecast={forecast} />
              </FrameProvider>,
              request.frame.mount,
            );
      return reply.type('text/html; charset=utf-8').send(html);
    },
  );

  app.post(
    '/new',
    { schema: { body: formBody }, config: { scope: CREATE_TOPIC_SCOPES } },
    async (request, reply) => {
      // Browsers do not send unticked boxes; the short form of the overview has none.
      const values = { searches: [], ...('sent' in request.body ? { ai_tools: [] } : {}), ...request.body };
      const action = readField(values, 'do') ?? 'save';
      try {
        if (action === 'save') return await saveTopic(request.acting, reply, values);
        const part = findTriedPart(values, action);
        const outcome =
          part === undefined ? {} : { tried: await tryPart(ctx, values, part, abortOnClose(reply)) };
        return await renderNewTopic(ctx, request, reply, values, outcome);
      } catch (error) {
        const problems =
          (await findExistingTopic(ctx, error, values)) ??
          toFieldProblems(error, values, findTriedPart(values, action));
        const status = chooseFormStatus(error);
        return await renderNewTopic(ctx, request, reply, values, { problems, status });
      }
    },
  );
}

async function saveTopic(
  acting: ActingContext,
  reply: FastifyReply,
  values: FormValues,
): Promise<FastifyReply> {
  const topic = readField(values, 'topic');
  const text = readField(values, 'text') ?? '';
  if (topic === undefined && isAddress(text)) {
    const { topic: slug } = await watch(acting, {
      text,
      name: readField(values, 'name'),
      slug: readField(values, 'slug'),
      goal: readField(values, 'goal'),
    });
    return redirectWithFlash(reply, `/topics/${slug}`, 'watching');
  }
  const written = parseTopic(values, parseParts(values));
  const made =
    topic === undefined ? await createTopic(acting, written) : await addSearches(acting, topic, written);
  return redirectWithFlash(reply, `/topics/${made.topic}`, topic === undefined ? 'watching' : 'added');
}

/** The search to try: the one whose button was pressed, or the first that is ticked. */
function findTriedPart(values: FormValues, action: string): PartName | undefined {
  const named = PART_NAMES.find((part) => action === `try_${part}`);
  return action === 'try' ? (parseParts(values)[0]?.part ?? 'posts') : named;
}

async function tryPart(
  ctx: Ctx,
  values: FormValues,
  part: PartName,
  signal: AbortSignal,
): Promise<TrialOutcome> {
  const tried = { ...parsePart(values, part), service: readField(values, 'service') };
  return catchTrial(PARTS[part].name, () => trySearch(ctx, tried, { signal }));
}

/** Links to the existing topic if the name is taken and no short name was given. */
async function findExistingTopic(
  ctx: Ctx,
  error: unknown,
  values: FormValues,
): Promise<FieldProblem[] | undefined> {
  const conflict = error instanceof Refused && error.kind === 'conflict';
  if (!conflict || readField(values, 'topic') !== undefined || readField(values, 'slug') !== undefined)
    return undefined;
  const name = readField(values, 'name') ?? readField(values, 'text') ?? '';
  const topic = await findTopic(ctx.db.pool, createSlug(name));
  if (topic === null || topic.archived_at !== null) return undefined;
  const path = readField(values, 'name') === undefined ? 'text' : 'name';
  const link = { words: topic.name, href: `/topics/${topic.slug}` };
  return [{ path, given: name, expected: 'Already watched', link }];
}

/** @throws errors that are not about the input */
function toFieldProblems(
  error: unknown,
  values: FormValues,
  tried: PartName | undefined,
): readonly Problem[] {
  if (error instanceof InvalidInput)
    return tried === undefined
      ? placeProblems(error.problems, values, parseParts(values))
      : error.problems.map((problem) => placePartProblem(problem, values, tried));
  return toFormProblems(error, values, 'slug');
}

async function renderNewTopic(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  values: FormValues,
  { problems = [], tried, status = 200 }: FormOutcome = {},
): Promise<FastifyReply> {
  const topic = await findKeptTopic(ctx, readField(values, 'topic'));
  const [fallback, services] = [findDefaultKind(ctx), await listServices(ctx)];
  const usual = services.find((kind) => kind === fallback || services.length === 1) ?? null;
  const forecast = await forecastForm(ctx, values, usual);
  const waits = await waitsForSource(ctx, usual ?? 'own');
  const view = {
    values,
    problems,
    topic,
    services,
    usual,
    waits,
    forecast,
    tried: tried ?? null,
    goalHelp: describeGoalField(ctx),
  };
  // Stays open after one of its buttons was pressed.
  const open =
    problems.some(({ path }) => path !== 'text') || /^(?:preview|try_)/.test(readField(values, 'do') ?? '');
  return renderPage(request, reply, {
    title: topic === null ? 'New topic' : `Add to ${topic.name}`,
    here: '/new',
    status,
    body: <NewForm {...view} open={open} />,
  });
}

/** @throws Refused if the topic does not exist or was removed */
async function findKeptTopic(ctx: Ctx, slug: string | undefined): Promise<TopicRow | null> {
  return slug === undefined ? null : assertTopicNotRemoved(ctx.db, slug);
}

/** Only services that can answer are offered. */
async function listServices(ctx: Ctx): Promise<ServiceKind[]> {
  if (ctx.kind === 'sandbox') return ['sandbox'];
  const own = (await ctx.ownSources()) === 'none' ? [] : (['own'] as const);
  return [...(ctx.config.hosted === undefined ? [] : (['hosted'] as const)), ...own];
}

/** @returns null if the service is missing or invalid: saving reports it */
async function forecastForm(ctx: Ctx, values: FormValues, usual: ServiceKind | null) {
  try {
    const named = readField(values, 'service') ?? usual;
    if (named === null) return null;
    const service = await chooseServiceKind(ctx, named);
    const searches = parseParts(values).map(({ part, written }) => ({ ...written, name: PARTS[part].name }));
    return await forecastSearches(ctx, service, searches);
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
