/** Edit a search: each change is a version. */

import { nameSearchOf } from '../components/scope-names.tsx';
import type { ActingContext } from '../../monitor/context.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { trySearch } from '../../monitor/runs/trial.ts';
import { assertSearchNotRemoved, findSearchRow } from '../../monitor/topics/find-by-slug.ts';
import { editSearch, type SearchEdit } from '../../monitor/topics/save-search.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import {
  readVersions,
  type SearchRow,
  type SearchVersionRow as VersionRow,
} from '../../store/queries/search-list.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import type { FormValues } from '../components/form.tsx';
import { Badge } from '../components/icons.tsx';
import { renderHtml } from '../components/page-html.ts';
import { renderPage } from '../components/page-layout.tsx';
import { ScopeLinks, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { type FormOutcome, formBody, readField, slugParams, toFormOutcome } from '../request-input.ts';
import { describeEdited, EditForm, joinLabels } from './edit-search-form.tsx';
import { assertNotEdited } from './opened-field.tsx';
import { parseRequest, parseSchedule, placeProblem } from './search-fields.tsx';
import { forecastSaved } from '../../monitor/topics/search-forecast.ts';
import { FrameProvider } from '../components/page-frame.tsx';
import { ForecastView } from './search-forecast.tsx';
import { catchTrial, type TrialOutcome } from './search-trial.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDeepStrictEqual } from 'node:util';

type Ctx = RouteContext['ctx'];

const MAX_VERSIONS = 50;

export function addSearchEditPages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get('/searches/:slug/edit', { schema, config: { scope: 'write' } }, async (request, reply) =>
    renderEditSearch(ctx, request, reply, await assertSearchNotRemoved(ctx.db, request.params.slug)),
  );

  app.get(
    '/searches/:slug/forecast',
    { schema: { ...schema, querystring: formBody }, config: { scope: 'read' } },
    async (request, reply) => {
      const search = await findSearchRow(ctx.db, request.params.slug);
      const forecast = await forecastForm(ctx, search, request.query);
      return reply.type('text/html; charset=utf-8').send(
        renderHtml(
          <FrameProvider value={request.frame}>
            <ForecastView forecast={forecast} />
          </FrameProvider>,
          request.frame.mount,
        ),
      );
    },
  );

  app.post(
    '/searches/:slug/edit',
    { schema: { ...schema, body: formBody }, config: { scope: ['write', 'run'] } },
    async (request, reply) => {
      // Browsers do not send unticked boxes.
      const values = { tools: [], streaming: '', ...request.body };
      const search = await assertSearchNotRemoved(ctx.db, request.params.slug);
      try {
        const action = readField(values, 'do') ?? 'save';
        if (action === 'save') return await saveSearch(request.acting, reply, search, values);
        if (action !== 'try') return await renderEditSearch(ctx, request, reply, search, { values });
        const tried = await catchTrial(search.slug, () =>
          trySearch(
            ctx,
            { ...parseEdit(values, search), operation: search.operation, service: search.service_kind },
            { signal: abortOnClose(reply) },
          ),
        );
        return await renderEditSearch(ctx, request, reply, search, { values, tried });
      } catch (error) {
        const outcome = toFormOutcome(error, values, 'slug');
        const problems = outcome.problems.map((problem) => placeProblem(problem, ''));
        return renderEditSearch(ctx, request, reply, search, { ...outcome, problems });
      }
    },
  );
}

async function saveSearch(
  acting: ActingContext,
  reply: FastifyReply,
  search: SearchRow,
  values: FormValues,
): Promise<FastifyReply> {
  assertNotEdited(values, describeEdited(search));
  const edit = {
    ...parseEdit(values, search),
    slug: readField(values, 'slug'),
  };
  const { changed, changesRequest, search: edited } = await editSearch(acting, search.slug, edit);
  const code = changed ? (changesRequest ? 'saved_request' : 'saved') : 'unchanged';
  return redirectWithFlash(reply, `/searches/${edited.slug}`, code);
}

/**
 * The whole search that the form describes: an emptied field is empty, not unchanged. Labels that nobody touched stay as they are:
 * the API takes labels with commas.
 */
function parseEdit(values: FormValues, search: Pick<SearchRow, 'operation' | 'labels'>): SearchEdit {
  const { prompt, model, tools, date_filter, streaming } = parseRequest(values, '', search.operation);
  const labels = readField(values, 'labels') ?? '';
  const isTouched = labels !== joinLabels(search.labels);
  return {
    prompt: prompt ?? '',
    model,
    tools,
    date_filter,
    streaming,
    extra: readField(values, 'extra') ?? '{}',
    labels: isTouched ? labels.split(',').filter((label) => label.trim() !== '') : search.labels,
    sensitivity: readField(values, 'sensitivity'),
    ...parseSchedule(values, ''),
  };
}

async function renderEditSearch(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  search: SearchRow,
  { values, problems = [], tried, status = 200 }: FormOutcome & { tried?: TrialOutcome } = {},
): Promise<FastifyReply> {
  const [versions, forecast] = await Promise.all([
    readVersions(ctx.db, search.id, { limit: MAX_VERSIONS }),
    forecastForm(ctx, search, values),
  ]);
  const view = { search, values, problems, forecast, tried: tried ?? null };
  return renderPage(request, reply, {
    title: `Edit ${nameSearchOf(request.frame, search.slug)}`,
    here: '',
    above: <ScopeLinks scope={{ topic: search.topic, search: search.slug }} />,
    status,
    body: (
      <>
        <EditForm {...view} />
        <VersionHistory rows={versions} />
        <p>
          <a href={`/searches/${search.slug}/remove`}>Remove this search</a>
        </p>
      </>
    ),
  });
}

function forecastForm(ctx: Ctx, search: SearchRow, values: FormValues | undefined) {
  if (values === undefined) return forecastSaved(ctx, [search]);
  const { tools } = parseRequest(values, '', search.operation);
  return forecastSaved(ctx, [search], {
    edit: { model: readField(values, 'model'), tools, ...parseSchedule(values, '') },
  });
}

/** The versions of a search, and what each changed. @param props.rows newest first */
function VersionHistory({ rows }: { rows: readonly VersionRow[] }) {
  return (
    <Section
      title="Versions"
      id="versions"
      note="Each change of the request starts a new baseline: its first run may find old items and raises no alert."
    >
      <Table
        caption="Versions of this search"
        rows={rows.map((row, i) => ({ row, before: rows[i + 1] }))}
        columns={[
          { head: 'Version', cell: ({ row }) => `v${row.version}` },
          { head: 'Created', cell: ({ row }) => <Timestamp at={row.created_at} /> },
          {
            head: 'Changes',
            cell: ({ row, before }) => <VersionChanges row={row} before={before} />,
          },
        ]}
      />
    </Section>
  );
}

function VersionChanges({ row, before }: { row: VersionRow; before: VersionRow | undefined }) {
  if (before === undefined) return row.version === 1 ? <>first version</> : <>older versions are not shown</>;
  const changes = describeChanges(before, row);
  return (
    <>
      {changes.length === 0 ? 'labels or spike sensitivity' : null}
      <ul class="plain">
        {changes.map((words) => (
          <li>
            <UntrustedText text={words} most={300} />
          </li>
        ))}
      </ul>
      {row.request_version === row.version ? <Badge state="baseline" words="new start" /> : null}
    </>
  );
}

const VERSION_MEMBERS = [
  ['prompt', 'prompt'],
  ['tools', 'sources'],
  ['model', 'model'],
  ['date_filter', 'look-back'],
  ['streaming', 'streaming'],
  ['extra', 'extra members'],
  ['cron', 'cron'],
  ['every_seconds', 'interval in seconds'],
  ['auto', 'adaptive interval'],
  ['tz', 'time zone'],
] as const;

/** The differences between two versions. */
function describeChanges(before: VersionRow, after: VersionRow): string[] {
  return VERSION_MEMBERS.flatMap(([member, words]) => {
    const [was, is] = [before[member], after[member]];
    return isDeepStrictEqual(was, is) ? [] : [`${words}: ${formatValue(was)} → ${formatValue(is)}`];
  });
}

function formatValue(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
}
