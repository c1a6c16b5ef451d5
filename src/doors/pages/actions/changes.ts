/** What a button changes at once: it is done, and the page of the thing says so. */
import type { Acting } from '../../../monitor/context.ts';
import { enqueueNewRuns } from '../../../monitor/enqueue.ts';
import { assertTopicKept } from '../../../monitor/topic/find.ts';
import { insertManualRun } from '../../../monitor/topic/run-now.ts';
import { type Change, changeSearch, changeTopic } from '../../../monitor/topic/state.ts';
import { readSearches } from '../../../store/reads/searches.ts';
import type { App, WebHome } from '../../routes.ts';
import { goOn } from '../kit/done.tsx';
import { slugParams } from './given.ts';

/** Going on leads to calls, which may cost money. */
const CHANGES = [
  ['pause', 'paused', ['write']],
  ['resume', 'resumed', ['write', 'run']],
  ['remove', 'removed', ['write']],
] as const satisfies readonly (readonly [Change, string, readonly string[]])[];

/** More searches than a topic has. */
const ALL = 1_000;

export function changeActions(app: App, { ctx }: WebHome): void {
  const schema = { params: slugParams };
  for (const [change, code, scope] of CHANGES) {
    app.post(`/searches/:slug/${change}`, { schema, config: { scope } }, async (request, reply) => {
      const { slug } = request.params;
      const { topic } = await changeSearch(request.acting, slug, change);
      return goOn(reply, change === 'remove' ? `/topics/${topic}` : `/searches/${slug}`, code);
    });
    app.post(`/topics/:slug/${change}`, { schema, config: { scope } }, async (request, reply) => {
      const { slug } = request.params;
      await changeTopic(request.acting, slug, change);
      return goOn(reply, change === 'remove' ? '/' : `/topics/${slug}`, code);
    });
  }

  app.post('/searches/:slug/run', { schema, config: { scope: 'run' } }, async (request, reply) => {
    const { slug } = request.params;
    const created = await runNow(request.acting, slug);
    return goOn(reply, `/searches/${slug}`, created ? 'run' : 'run_already_queued');
  });

  // Those that rest stay at rest: to run them all the same, each is asked for by itself.
  app.post('/topics/:slug/run', { schema, config: { scope: 'run' } }, async (request, reply) => {
    const { slug } = request.params;
    await assertTopicKept(ctx.db, slug);
    const searches = await readSearches(ctx.db, { topic: slug, state: 'active', limit: ALL });
    let created = 0;
    for (const search of searches) created += (await runNow(request.acting, search.slug)) ? 1 : 0;
    const code = created > 0 ? 'run' : searches.length > 0 ? 'run_already_queued' : 'unchanged';
    return goOn(reply, `/topics/${slug}`, code);
  });

  /** @returns whether a run was created */
  async function runNow(acting: Acting, slug: string): Promise<boolean> {
    const { runId, alreadyQueued } = await insertManualRun(acting, slug);
    if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
    return !alreadyQueued;
  }
}
