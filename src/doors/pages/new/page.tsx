/** A new topic, or another search of one: from one sentence and one button to everything that can be said. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { z } from 'zod';
import { InvalidInput, type Problem, Refused } from '../../../errors.ts';
import type { Acting } from '../../../monitor/context.ts';
import { trySearch } from '../../../monitor/run/try.ts';
import { addSearches, createTopic } from '../../../monitor/topic/create-topic.ts';
import { assertTopicKept, findTopicRow } from '../../../monitor/topic/find.ts';
import { slugOf } from '../../../monitor/topic/slug-of.ts';
import { serviceKindFor } from '../../../monitor/topic/service-for.ts';
import type { ServiceKind } from '../../../store/services.ts';
import { findTopic } from '../../../store/topics.ts';
import type { App, WebHome } from '../../routes.ts';
import { untilClosed } from '../../gone.ts';
import { formBody, one } from '../actions/given.ts';
import { goOn } from '../kit/done.tsx';
import type { FieldProblem, Given } from '../kit/form.tsx';
import { WATCHES } from '../kit/may.tsx';
import { showPage } from '../kit/show.tsx';
import { forecast } from './forecast.ts';
import { ForecastView } from './forecast-view.tsx';
import {
  atFields,
  type PartName,
  PART_NAMES,
  partIn,
  partProblem,
  PARTS,
  partsIn,
  topicIn,
  UNTOUCHED,
} from './plan.ts';
import { triedOut, type Tried } from './trial-view.tsx';
import { NewForm } from './view.tsx';

type Ctx = WebHome['ctx'];
type Come = { problems?: readonly FieldProblem[]; tried?: Tried; status?: number };

export function newPages(app: App, { ctx }: WebHome): void {
  const querystring = z.object({
    topic: z.string().max(63).optional(),
    text: z.string().max(2_000).optional(),
  });

  app.get('/new', { schema: { querystring }, config: { scope: WATCHES } }, async (request, reply) =>
    show(ctx, request, reply, { ...UNTOUCHED, ...request.query }),
  );

  // What the script asks while one types: the same words, for what the form holds by then.
  app.get(
    '/new/forecast',
    { schema: { querystring: formBody }, config: { scope: 'read' } },
    async (request, reply) => {
      const told = await forecastOf(ctx, request.query);
      const html = told === null ? '' : renderToString(<ForecastView forecast={told} />);
      return reply.type('text/html; charset=utf-8').send(html);
    },
  );

  app.post('/new', { schema: { body: formBody }, config: { scope: WATCHES } }, async (request, reply) => {
    // Boxes of which none is ticked are not sent.
    const given = { searches: [], ai_tools: [], ...request.body };
    const asked = one(given, 'do') ?? 'save';
    try {
      if (asked === 'save') return await save(request.acting, reply, given);
      const part = triedPart(given, asked);
      const come = part === undefined ? {} : { tried: await tryPart(ctx, given, part, untilClosed(reply)) };
      return await show(ctx, request, reply, given, come);
    } catch (error) {
      const problems =
        (await watchedAlready(ctx, error, given)) ?? problemsOf(error, given, triedPart(given, asked));
      const status = error instanceof Refused ? 409 : 400;
      return await show(ctx, request, reply, given, { problems, status });
    }
  });
}

async function save(acting: Acting, reply: FastifyReply, given: Given): Promise<FastifyReply> {
  const topic = one(given, 'topic');
  const written = topicIn(given, partsIn(given));
  const made =
    topic === undefined ? await createTopic(acting, written) : await addSearches(acting, topic, written);
  return goOn(reply, `/topics/${made.topic}`, topic === undefined ? 'watching' : 'added');
}

/** Which search is to be tried: the one whose button was pressed, or the first that is ticked. */
function triedPart(given: Given, asked: string): PartName | undefined {
  const named = PART_NAMES.find((part) => asked === `try_${part}`);
  return asked === 'try' ? (partsIn(given)[0]?.part ?? 'posts') : named;
}

async function tryPart(ctx: Ctx, given: Given, part: PartName, signal: AbortSignal): Promise<Tried> {
  const tried = { ...partIn(given, part), service: one(given, 'service') };
  return triedOut(PARTS[part].name, () => trySearch(ctx, tried, { signal }));
}

/** Where the text or the name is that of a topic that is there, and no short name was chosen: which one it is. */
async function watchedAlready(ctx: Ctx, error: unknown, given: Given): Promise<FieldProblem[] | undefined> {
  const conflict = error instanceof Refused && error.kind === 'conflict';
  if (!conflict || one(given, 'topic') !== undefined || one(given, 'slug') !== undefined) return undefined;
  const name = one(given, 'name') ?? one(given, 'text') ?? '';
  const topic = await findTopic(ctx.db.pool, slugOf(name));
  if (topic === null || topic.archived_at !== null) return undefined;
  const path = one(given, 'name') === undefined ? 'text' : 'name';
  const link = { words: topic.name, href: `/topics/${topic.slug}` };
  return [{ path, given: name, expected: 'You watch this already', link }];
}

/** @throws what is not about what was typed */
function problemsOf(error: unknown, given: Given, tried: PartName | undefined): Problem[] {
  if (error instanceof InvalidInput)
    return tried === undefined
      ? atFields(error.problems, given, partsIn(given))
      : error.problems.map((problem) => partProblem(problem, given, tried));
  // Somebody was faster, or has it already: only another name helps.
  if (error instanceof Refused && error.kind === 'conflict' && one(given, 'topic') === undefined)
    return [{ path: 'slug', given: one(given, 'slug'), expected: `another one: ${error.message}` }];
  throw error;
}

async function show(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  given: Given,
  { problems = [], tried, status = 200 }: Come = {},
): Promise<FastifyReply> {
  const topic = await topicOf(ctx, one(given, 'topic'));
  const [usual, services, told] = await Promise.all([
    serviceKindFor(ctx, undefined),
    servicesOf(ctx),
    forecastOf(ctx, given),
  ]);
  const view = { given, problems, topic, services, usual, forecast: told, tried: tried ?? null };
  // What was unfolded to press one of its buttons stays so.
  const open =
    problems.some(({ path }) => path !== 'text') || /^(?:preview|try_)/.test(one(given, 'do') ?? '');
  return showPage(request, reply, {
    title: topic === null ? 'New topic' : `Add to ${topic.name}`,
    here: '/new',
    status,
    body: <NewForm {...view} open={open} />,
  });
}

/** @throws Refused where there is no such topic, or none any more */
async function topicOf(ctx: Ctx, slug: string | undefined): Promise<{ slug: string; name: string } | null> {
  if (slug === undefined) return null;
  await assertTopicKept(ctx.db, slug);
  return findTopicRow(ctx.db, slug);
}

/** Those that can answer; the others are not offered. */
async function servicesOf(ctx: Ctx): Promise<ServiceKind[]> {
  const own = (await ctx.ownSources()) === 'none' ? [] : (['own'] as const);
  return [...(ctx.config.hosted === undefined ? [] : (['hosted'] as const)), ...own, 'sandbox'];
}

/** @returns null where the service is none: that is said when it is saved */
async function forecastOf(ctx: Ctx, given: Given) {
  try {
    const service = await serviceKindFor(ctx, one(given, 'service'));
    const searches = partsIn(given).map(({ part, written }) => ({ ...written, name: PARTS[part].name }));
    return await forecast(ctx, service, searches);
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
