/** A search as it is, to be changed: each change is a version. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { InvalidInput, type Problem } from '../../../errors.ts';
import type { Acting } from '../../../monitor/context.ts';
import { trySearch } from '../../../monitor/run/try.ts';
import { type Edit, editSearch } from '../../../monitor/topic/edit.ts';
import { assertKept, findSearchRow } from '../../../monitor/topic/find.ts';
import { readVersions, type SearchRow } from '../../../store/reads/searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { untilClosed } from '../../gone.ts';
import { formBody, one, slugParams } from '../actions/given.ts';
import { goOn } from '../kit/done.tsx';
import type { Given } from '../kit/form.tsx';
import { showPage } from '../kit/show.tsx';
import { forecast } from '../new/forecast.ts';
import { ForecastView } from '../new/forecast-view.tsx';
import { triedOut, type Tried } from '../new/trial-view.tsx';
import { EditForm } from './view.tsx';
import { Versions } from './versions.tsx';
import { atField, requestIn, whenIn } from './written.ts';

type Ctx = WebHome['ctx'];
type Come = { given?: Given; problems?: readonly Problem[]; tried?: Tried; status?: number };

const VERSIONS_SHOWN = 50;

export function editPages(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams };

  app.get('/searches/:slug/edit', { schema, config: { scope: 'write' } }, async (request, reply) =>
    show(ctx, request, reply, await keptSearch(ctx, request.params.slug)),
  );

  app.get(
    '/searches/:slug/forecast',
    { schema: { ...schema, querystring: formBody }, config: { scope: 'read' } },
    async (request, reply) => {
      const search = await findSearchRow(ctx.db, request.params.slug);
      const told = await forecastOf(ctx, search, request.query);
      return reply.type('text/html; charset=utf-8').send(renderToString(<ForecastView forecast={told} />));
    },
  );

  app.post(
    '/searches/:slug/edit',
    { schema: { ...schema, body: formBody }, config: { scope: ['write', 'run'] } },
    async (request, reply) => {
      // Boxes of which none is ticked are not sent.
      const given = { tools: [], streaming: '', ...request.body };
      const search = await keptSearch(ctx, request.params.slug);
      try {
        const asked = one(given, 'do') ?? 'save';
        if (asked === 'save') return await save(request.acting, reply, search, given);
        if (asked !== 'try') return await show(ctx, request, reply, search, { given });
        const tried = await triedOut(search.slug, () =>
          trySearch(
            ctx,
            { ...editIn(given, search), operation: search.operation, service: search.service_kind },
            { signal: untilClosed(reply) },
          ),
        );
        return await show(ctx, request, reply, search, { given, tried });
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        const problems = error.problems.map((problem) => atField(problem, ''));
        return show(ctx, request, reply, search, { given, problems, status: 400 });
      }
    },
  );
}

async function save(
  acting: Acting,
  reply: FastifyReply,
  search: SearchRow,
  given: Given,
): Promise<FastifyReply> {
  const { changed, changesRequest } = await editSearch(acting, search.slug, editIn(given, search));
  const code = changed ? (changesRequest ? 'saved_request' : 'saved') : 'unchanged';
  return goOn(reply, `/searches/${search.slug}`, code);
}

/** The whole search as the form says it: a field that was emptied is empty, and not left as it was. */
function editIn(given: Given, search: Pick<SearchRow, 'operation'>): Edit {
  const { prompt, model, tools, date_filter, streaming } = requestIn(given, '', search.operation);
  return {
    prompt: prompt ?? '',
    model,
    tools,
    date_filter,
    streaming,
    extra: one(given, 'extra') ?? '{}',
    labels: (one(given, 'labels') ?? '').split(',').filter((label) => label.trim() !== ''),
    sensitivity: one(given, 'sensitivity'),
    ...whenIn(given, ''),
  };
}

/** @throws Refused where there is no such search, or it was removed */
async function keptSearch(ctx: Ctx, slug: string): Promise<SearchRow> {
  await assertKept(ctx.db, slug);
  return findSearchRow(ctx.db, slug);
}

async function show(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  search: SearchRow,
  { given, problems = [], tried, status = 200 }: Come = {},
): Promise<FastifyReply> {
  const [versions, told] = await Promise.all([
    readVersions(ctx.db, search.id, { limit: VERSIONS_SHOWN }),
    forecastOf(ctx, search, given),
  ]);
  const view = { search, given, problems, forecast: told, tried: tried ?? null };
  return showPage(request, reply, {
    title: `Edit ${search.slug}`,
    here: '',
    above: (
      <>
        <a href={`/topics/${search.topic}`}>{search.topic}</a> /{' '}
        <a href={`/searches/${search.slug}`}>{search.slug}</a>
      </>
    ),
    status,
    body: (
      <>
        <EditForm {...view} />
        <Versions rows={versions} />
        <p>
          <a href={`/searches/${search.slug}/remove`}>Remove this search</a>
        </p>
      </>
    ),
  });
}

async function forecastOf(ctx: Ctx, search: SearchRow, given: Given | undefined) {
  const { slug: name, operation, cron, every_seconds, tz, model, service_kind } = search;
  const kept = cron === null ? { every: `${every_seconds ?? 0}s` } : { cron, tz };
  const asked =
    given === undefined ? { model, ...kept } : { model: one(given, 'model'), ...whenIn(given, '') };
  return forecast(ctx, service_kind, [{ name, operation, ...asked }]);
}
