/** One run: result, calls, discoveries, raw response. */

import { nameSearchOf } from '../components/scope-names.tsx';
import { awaitMembers } from '../../lib/await-members.ts';
import { describeCompletionChange } from '../../model/statements/answer-change.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { MAX_TEXT_LENGTH } from '../../lib/text.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { Context } from '../../monitor/context.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { replayRun } from '../../monitor/runs/late-and-replay.ts';
import { previewRequest, type RequestPreview } from '../../monitor/runs/request-preview.ts';
import type { Id } from '../../store/db/database.ts';
import { readLinksByAddress, readRunCompletion } from '../../store/queries/completions.ts';
import { readLinksByIds } from '../../store/queries/links.ts';
import { type DiscoveryRow, readNewestDiscoveries } from '../../store/queries/discoveries.ts';
import { describeDiscoveries } from '../../store/queries/described-discoveries.ts';
import {
  isBaselineRun,
  readCalls,
  readRejects,
  readResponseNote,
  readRun,
  readRunNeighbours,
  type RunRow,
} from '../../store/queries/run-list.ts';
import { readRunTools } from '../../store/queries/run-tools.ts';
import { loadNewestResponse } from '../../store/runs/responses.ts';
import { CitedText, listCitedAddresses, SourceList } from '../components/citations.tsx';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { ActionButton } from '../components/form.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { Badge } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { requireKey } from '../request-input.ts';
import { CallTable, MAX_INLINE_BYTES, RejectTable, RequestSection, ResponseSection } from './run-calls.tsx';
import { NeighborLinks, RunTimeline } from './run-timeline.tsx';
import { ToolTable } from './tool-table.tsx';
import { finished } from 'node:stream';
import { z } from 'zod';

const MAX_NEW = 100;
const MAX_REJECTS = 100;
const params = z.object({ id: z.string() });

export function addRunPage(app: App, { ctx }: RouteContext): void {
  app.get('/runs/:id', { config: { scope: 'read' }, schema: { params } }, async (request, reply) => {
    const id = requireKey('run', request.params.id);
    const run = await findById('run', id, readRun(ctx.db, id));
    const data = await readRunData(ctx, run);
    return renderPage(request, reply, {
      title: `Run ${id} of ${nameSearchOf(request.frame, run.search)}`,
      here: '/runs',
      above: <a href="/runs">Runs</a>,
      lead: (
        <>
          {run.slot_at === null ? 'Requested' : 'Due'} <Timestamp at={run.slot_at ?? run.created_at} />
        </>
      ),
      aside: (
        <>
          <Badge state={run.status} />
          {run.status === 'failed' && hasScopes(request.visitor, 'run') ? (
            <ActionButton action={`/searches/${run.search}/run`} words="Run again" icon="run" />
          ) : null}
        </>
      ),
      body: (
        <>
          <RunTimeline run={run} service={data.calls[0]?.service} />
          <ToolTable rows={data.tools} />
          <CallTable rows={data.calls} />
          <NewItems run={run} rows={data.discoveries} />
          <CompletionTexts run={run} {...data} />
          <RejectTable rows={data.rejects} limit={MAX_REJECTS} />
          <RequestSection sent={data.sent} />
          <ResponseSection
            id={id}
            note={data.note}
            lastStatus={data.calls.at(-1)?.http_status ?? null}
            answer={data.answer}
            days={ctx.config.answerDays}
            replayable={hasScopes(request.visitor, 'write') && run.ended_at !== null}
          />
          <NeighborLinks near={data.near} />
        </>
      ),
    });
  });

  app.get('/runs/:id/answer', { config: { scope: 'read' }, schema: { params } }, async (request, reply) => {
    const id = requireKey('run', request.params.id);
    finished(reply.raw, app.shares.answers.take(request));
    const answer = await loadNewestResponse(ctx.db, id);
    if (answer === null) throw new Refused('not_found', `run ${id} has no stored response`);
    // Untrusted content: always a download, never rendered by the browser.
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="run-${id}.txt"`)
      .header('x-content-type-options', 'nosniff')
      .send(answer.body);
  });

  app.post('/runs/:id/replay', { config: { scope: 'write' }, schema: { params } }, async (request, reply) => {
    const id = requireKey('run', request.params.id);
    await replayRun(request.acting, id);
    return redirectWithFlash(reply, `/runs/${id}`, 'replayed');
  });
}

async function readRunData(ctx: Context, run: RunRow) {
  const { db } = ctx;
  const { id } = run;
  const read = await awaitMembers({
    calls: readCalls(db, id),
    tools: readRunTools(db, [id]),
    rejects: readRejects(db, id, { limit: MAX_REJECTS }),
    discoveries: readNewestDiscoveries(db, { runId: id, limit: MAX_NEW }).then((rows) =>
      describeDiscoveries(db, rows),
    ),
    completion: readRunCompletion(db, id),
    note: readResponseNote(db, id),
    near: readRunNeighbours(db, run),
    sent: describeRequest(ctx, id),
  });
  const { completion, note } = read;
  const texts = completion === undefined ? [] : COMPLETION_TEXTS.map(([member]) => completion[member]);
  return {
    ...read,
    answer: note !== undefined && note.bytes <= MAX_INLINE_BYTES ? await loadNewestResponse(db, id) : null,
    ...(await awaitMembers({
      links: readLinksByAddress(db, listCitedAddresses(texts)),
      cited: readLinksByIds(db, completion?.completion_links ?? []),
    })),
  };
}

/** A custom dialect file may be missing; then the section says so. */
async function describeRequest(ctx: Context, id: Id): Promise<RequestPreview | string> {
  try {
    return (await previewRequest(ctx, id)) ?? 'The request is no longer available.';
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof Refused)
      return `The request cannot be shown: ${error.message}`;
    throw error;
  }
}

function NewItems({ run, rows }: { run: RunRow; rows: readonly DiscoveryRow[] }) {
  const note = rows.length === MAX_NEW ? `Newest ${MAX_NEW}.` : undefined;
  return (
    <Section title="New items" id="new" note={note}>
      {rows.length === 0 ? (
        <EmptyState words={run.status === 'succeeded' ? 'No new items.' : 'No results.'} />
      ) : (
        <ol class="feed plain">
          {rows.map((discovery) => (
            <li>
              <DiscoveryLine discovery={discovery} within="search" />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

const COMPLETION_TEXTS = [
  ['summary', 'All sources'],
  ['microblog_summary', 'Microblogs'],
  ['discussion_board_summary', 'Discussion boards'],
  ['news_forum_summary', 'News forums'],
] as const;
type RunData = Awaited<ReturnType<typeof readRunData>>;

function CompletionTexts({ run, completion, links, cited }: RunData & { run: RunRow }) {
  if (completion === undefined) return null;
  const { claims, changed, search, previous_run_id } = completion;
  const compared = describeCompletionChange(completion);
  const beside = isBaselineRun(run) ? 'first answer of this search' : 'not compared with another one';
  const made = claims === null ? 'statements not parsed' : formatCount(claims, 'statement');
  const verdict = changed ? 'changed' : 'not changed';
  return (
    <Section
      title="Answer"
      id="completion"
      note={`Written by the service; ${
        compared === null ? `${made}; ${beside}` : `${verdict} since run ${previous_run_id}: ${compared}`
      }.`}
      aside={
        <>
          {compared === null ? null : (
            <a href={`/searches/${search}/completions?to=${run.id}`}>What changed</a>
          )}{' '}
          <a href={`/evidence/completion/${run.id}`}>Evidence</a>
        </>
      }
    >
      {COMPLETION_TEXTS.map(([member, words]) => {
        const text = completion[member];
        return text === null ? null : (
          <>
            <h3>{words}</h3>
            <p class="prose">
              <CitedText text={text} most={MAX_TEXT_LENGTH} links={links} />
            </p>
          </>
        );
      })}
      <SourceList
        texts={COMPLETION_TEXTS.map(([member]) => completion[member])}
        links={links}
        others={cited}
      />
    </Section>
  );
}
