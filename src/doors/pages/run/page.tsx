/** One run: its whole life. */
import { finished } from 'node:stream';
import { z } from 'zod';
import { InvalidInput, Refused } from '../../../errors.ts';
import { mayDo } from '../../../monitor/access/scopes.ts';
import type { Context } from '../../../monitor/context.ts';
import { replayRun } from '../../../monitor/run/replay.ts';
import { type SentRequest, sentRequest } from '../../../monitor/run/sent.ts';
import type { Id } from '../../../store/database.ts';
import { loadNewestResponse } from '../../../store/responses.ts';
import { readCompletionOfRun } from '../../../store/reads/completions.ts';
import { newestDiscoveries } from '../../../store/reads/discoveries.ts';
import { readAnswerNote, readNeighbours } from '../../../store/reads/run-pages.ts';
import { readCalls, readRejects, readRun, type RunRow } from '../../../store/reads/runs.ts';
import type { App, WebHome } from '../../routes.ts';
import { keyOf, missing } from '../detail/key.ts';
import { Badge } from '../kit/badge.tsx';
import { goOn } from '../kit/done.tsx';
import { showPage } from '../kit/show.tsx';
import { When } from '../kit/when.tsx';
import { Answer, INLINE_MOST } from './answer.tsx';
import { Calls, Rejects, Request } from './calls.tsx';
import { Completion, Found } from './found.tsx';
import { Life, Neighbours } from './life.tsx';

const MOST_NEW = 100;
const MOST_REJECTS = 100;
const params = z.object({ id: z.string() });

export function runPage(app: App, { ctx }: WebHome): void {
  app.get('/runs/:id', { config: { scope: 'read' }, schema: { params } }, async (request, reply) => {
    const { id: given } = request.params;
    const id = keyOf('run', given);
    const run = await readRun(ctx.db, id);
    if (run === undefined) throw missing('run', given);
    const told = await readLife(ctx, run);
    return showPage(request, reply, {
      title: `Run ${id} of ${run.search}`,
      here: '/runs',
      above: <a href="/runs">Runs</a>,
      lead: (
        <>
          {run.slot_at === null ? 'Asked for' : 'Due'} <When at={run.slot_at ?? run.created_at} />
        </>
      ),
      aside: <Badge state={run.status} />,
      body: (
        <>
          <Life run={run} service={told.calls[0]?.service} />
          <Calls rows={told.calls} />
          <Found run={run} rows={told.discoveries} limit={MOST_NEW} />
          <Completion run={run} completion={told.completion} />
          <Rejects rows={told.rejects} limit={MOST_REJECTS} />
          <Request sent={told.sent} />
          <Answer
            id={id}
            note={told.note}
            answer={told.answer}
            days={ctx.config.answerDays}
            replayable={mayDo(request.visitor, 'write') && run.ended_at !== null}
          />
          <Neighbours near={told.near} />
        </>
      ),
    });
  });

  app.get('/runs/:id/answer', { config: { scope: 'read' }, schema: { params } }, async (request, reply) => {
    const id = keyOf('run', request.params.id);
    finished(reply.raw, app.shares.answers.take(request));
    const answer = await loadNewestResponse(ctx.db, id);
    if (answer === null) throw new Refused('not_found', `no answer of run ${id} is kept`);
    // Whatever it says of itself, it is a file to be kept and nothing that a browser shows.
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="run-${id}.txt"`)
      .header('x-content-type-options', 'nosniff')
      .send(answer.body);
  });

  app.post('/runs/:id/replay', { config: { scope: 'write' }, schema: { params } }, async (request, reply) => {
    const id = keyOf('run', request.params.id);
    await replayRun(request.acting, id);
    return goOn(reply, `/runs/${id}`, 'replayed');
  });
}

async function readLife(ctx: Context, run: RunRow) {
  const { db } = ctx;
  const { id } = run;
  const [calls, rejects, newest, completion, note, near, sent] = await Promise.all([
    readCalls(db, id),
    readRejects(db, id, { limit: MOST_REJECTS }),
    newestDiscoveries(db, { runId: id, limit: MOST_NEW }),
    readCompletionOfRun(db, id),
    readAnswerNote(db, id),
    readNeighbours(db, run),
    sentOf(ctx, id),
  ]);
  const answer = note !== undefined && note.bytes <= INLINE_MOST ? await loadNewestResponse(db, id) : null;
  return { calls, rejects, discoveries: newest.toReversed(), completion, note, near, sent, answer };
}

/** A dialect that is a file of the user's own may be gone: then that is said in the request's place. */
async function sentOf(ctx: Context, id: Id): Promise<SentRequest | string> {
  try {
    return (await sentRequest(ctx, id)) ?? 'What was sent is not known any more.';
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof Refused)
      return `It cannot be shown in the words of the service: ${error.message}`;
    throw error;
  }
}
