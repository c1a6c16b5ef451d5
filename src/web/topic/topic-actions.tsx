/** Actions on a topic or search: their menu, resume, remove and run now. */

import { nameSearchOf } from '../components/scope-names.tsx';
import { nameSearch } from '../../model/search-name.ts';
import { writeShareForm } from '../../monitor/access/share-pages.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { ActingContext } from '../../monitor/context.ts';
import { enqueueNewRuns } from '../../monitor/enqueue.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { readSearchStatuses } from '../../monitor/status/search-status.ts';
import { assertSearchNotRemoved, assertTopicNotRemoved } from '../../monitor/topics/find-by-slug.ts';
import { insertManualRun } from '../../monitor/topics/run-now.ts';
import { changeSearch, changeTopic } from '../../monitor/topics/search-state.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { ScopeLinks } from '../components/section.tsx';
import { Facts } from '../components/fact-list.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Form } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { slugParams } from '../request-input.ts';
import type { Window } from './view-address.ts';
import type { ComponentChildren } from 'preact';
import { z } from 'zod';

/** Resuming needs `run`, because it leads to calls, which may cost money. */
const STATE_CHANGES = [
  ['pause', 'paused', ['write']],
  ['resume', 'resumed', ['write', 'run']],
  ['remove', 'removed', ['write']],
] as const satisfies readonly (readonly [StateChange, string, readonly string[]])[];

const MAX_SEARCHES = 1_000;

export function addStateActions(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };
  for (const [change, code, scope] of STATE_CHANGES) {
    if (change === 'pause') continue; // pause-pages.tsx
    app.post(`/searches/:slug/${change}`, { schema, config: { scope } }, async (request, reply) => {
      const { slug } = request.params;
      const { topic } = await changeSearch(request.acting, slug, change);
      return redirectWithFlash(reply, change === 'remove' ? `/topics/${topic}` : `/searches/${slug}`, code);
    });
    app.post(`/topics/:slug/${change}`, { schema, config: { scope } }, async (request, reply) => {
      const { slug } = request.params;
      await changeTopic(request.acting, slug, change);
      return redirectWithFlash(reply, change === 'remove' ? '/' : `/topics/${slug}`, code);
    });
  }

  app.post('/searches/:slug/run', { schema, config: { scope: 'run' } }, async (request, reply) => {
    const { slug } = request.params;
    const created = await runNow(request.acting, slug);
    return redirectWithFlash(reply, `/searches/${slug}`, created ? 'run' : 'run_already_queued');
  });

  // Only active searches; a stopped one can still be run from its own page.
  const runBody = z.object({ only: z.enum(['failing']).optional() });
  const runSchema = { ...schema, body: runBody };
  app.post('/topics/:slug/run', { schema: runSchema, config: { scope: 'run' } }, async (request, reply) => {
    const { slug } = await assertTopicNotRemoved(ctx.db, request.params.slug);
    const searches = await readSearches(ctx.db, {
      topic: slug,
      state: 'active',
      limit: MAX_SEARCHES,
    });
    const chosen = request.body.only === undefined ? searches : await chooseFailing(searches);
    let created = 0;
    for (const search of chosen) created += (await runNow(request.acting, search.slug)) ? 1 : 0;
    const code = created > 0 ? 'run' : chosen.length > 0 ? 'run_already_queued' : 'unchanged';
    return redirectWithFlash(reply, `/topics/${slug}`, code);
  });

  async function chooseFailing(searches: readonly SearchRow[]): Promise<SearchRow[]> {
    const statuses = await readSearchStatuses(
      ctx,
      searches.map(({ id }) => id),
    );
    const failing = new Set(
      statuses.filter(({ status }) => status === 'failing').map(({ search_id }) => search_id),
    );
    return searches.filter(({ id }) => failing.has(id));
  }

  /** @returns whether a run was created */
  async function runNow(acting: ActingContext, slug: string): Promise<boolean> {
    const { runId, alreadyQueued } = await insertManualRun(acting, slug);
    if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
    return !alreadyQueued;
  }
}

/** Confirmation pages before a permanent removal. */
export function addRemovePages(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams };

  app.get('/searches/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const search = await assertSearchNotRemoved(ctx.db, request.params.slug);
    const { slug } = search;
    return renderPage(request, reply, {
      title: `Remove ${nameSearchOf(request.frame, slug)}?`,
      here: '',
      above: <ScopeLinks scope={{ topic: search.topic, search: slug }} />,
      body: (
        <ConfirmRemoval
          action={`/searches/${slug}/remove`}
          words="Remove this search"
          back={`/searches/${slug}`}
          goes="The schedule and queued runs. A run in progress finishes."
        />
      ),
    });
  });

  app.get('/topics/:slug/remove', { schema, config: { scope: 'write' } }, async (request, reply) => {
    const topic = await assertTopicNotRemoved(ctx.db, request.params.slug);
    const { slug } = topic;
    const searches = await readSearches(ctx.db, { topic: slug, limit: MAX_SEARCHES });
    return renderPage(request, reply, {
      title: `Remove ${topic.name}?`,
      here: '',
      above: <a href={`/topics/${slug}`}>{topic.name}</a>,
      body: (
        <ConfirmRemoval
          action={`/topics/${slug}/remove`}
          words="Remove this topic"
          back={`/topics/${slug}`}
          goes={
            <>
              The schedules of {formatCount(searches.length, 'search', 'searches')}
              {searches.length === 0
                ? ''
                : ` (${searches.map((search) => nameSearch(search, searches)).join(', ')})`}{' '}
              and queued runs. Runs in progress finish.
            </>
          }
        />
      ),
    });
  });
}

function ConfirmRemoval({
  action,
  words,
  back,
  goes,
}: {
  action: string;
  words: string;
  back: string;
  goes: ComponentChildren;
}) {
  return (
    <Form action={action} label={words}>
      <Facts
        label={words}
        facts={[
          ['Deleted', goes],
          [
            'Kept',
            'Everything found: posts, links, answers, their history, and all runs. You can still read, export and query it.',
          ],
          [
            'Permanent',
            'A removed topic or search cannot be restored, and its short name cannot be reused unless it is purged, which deletes what it found, too. To stop for a while, pause instead.',
          ],
        ]}
      />
      <div class="buttons">
        <Button words={words} kind="danger" />
        <a href={back}>Cancel</a>
      </div>
    </Form>
  );
}

const EXPORT_KINDS = [
  ['posts', 'Posts'],
  ['links', 'Links'],
  ['completions', 'Answers'],
  ['discoveries', 'New items'],
] as const;

/**
 * Everything that the visitor may do with a topic or search, in one menu.
 * @param props.place `/topics/ferry` or `/searches/ferry-posts`
 * @param props.window what exports contain
 */
export function ActionMenu({
  place,
  searches,
  window,
  mute,
}: {
  place: string;
  searches: readonly SearchRow[];
  window: Pick<Window, 'from' | 'until' | 'isPart' | 'words'> | null;
  /** Of a topic. */
  mute?: ComponentChildren;
}) {
  const { visitor, address } = useFrame();
  const [, kind, slug = ''] = place.split('/');
  const which = { [kind === 'topics' ? 'topic' : 'search']: slug };
  const kept = searches.filter(({ archived_at }) => archived_at === null);
  const active = kept.some(({ state }) => state === 'active' || state === 'capped');
  const resting = kept.some(({ state }) => state === 'paused' || state === 'broken');
  const mayWrite = hasScopes(visitor, 'write');
  const about = new URLSearchParams(which).toString();
  return (
    <>
      {mayWrite ? <a href={`/alerts/rules/new?${about}`}>Alert me</a> : null}
      <details class="menu actions">
        <summary class="button">Actions</summary>
        <div class="menu-list">
          {active && hasScopes(visitor, 'run') ? (
            <ActionButton action={`${place}/run`} words="Run now" icon="run" />
          ) : null}
          {active && mayWrite ? (
            <>
              <ActionButton action={`${place}/pause`} words="Pause" icon="pause" />
              <a href={`${place}/pause`}>Pause until…</a>
            </>
          ) : null}
          {resting && hasScopes(visitor, ['write', 'run']) ? (
            <ActionButton action={`${place}/resume`} words="Resume" icon="play" />
          ) : null}
          {mute}
          <a href={`/alerts/feeds?${about}`}>Feed</a>
          {hasScopes(visitor, 'admin') ? <a href={writeShareForm(address)}>Share…</a> : null}
          {kind === 'topics' ? <a href={`/compare?topics=${slug}`}>Compare with…</a> : null}
          {kind === 'topics' && kept.some(({ operation }) => operation === 'microblog') ? (
            <a href={`${place}/emerging`}>Emerging names</a>
          ) : null}
          {kind === 'topics' && kept.some(({ operation }) => operation === 'ai') ? (
            <a href={`${place}/names`}>Names in answers</a>
          ) : null}
          {window === null ? null : <ExportLinks which={which} window={window} />}
          {mayWrite ? (
            <>
              {kind === 'topics' ? <a href={`${place}/sources`}>Sources</a> : null}
              {kind === 'topics' ? <a href={`${place}/goal`}>Goal</a> : null}
              {kind === 'topics' && hasScopes(visitor, CREATE_TOPIC_SCOPES) ? (
                <a href={`/new?${about}`}>Add a search</a>
              ) : null}
              <a href={`${place}/edit`}>
                <Icon name="edit" /> Edit
              </a>
              <a href={`${place}/remove`}>Remove…</a>
            </>
          ) : null}
        </div>
      </details>
    </>
  );
}

/** CSV downloads of what was found in the window; the lists offer other formats. */
function ExportLinks({
  which,
  window: { from, until, isPart, words },
}: {
  which: Readonly<Record<string, string>>;
  window: Pick<Window, 'from' | 'until' | 'isPart' | 'words'>;
}) {
  const end = isPart ? { until: until.toISOString() } : {};
  const query = new URLSearchParams({
    ...which,
    format: 'csv',
    since: from.toISOString(),
    ...end,
  }).toString();
  return (
    <div class="menu-group">
      <p>
        <Icon name="download" /> Export as CSV ({words})
      </p>
      {EXPORT_KINDS.map(([kind, name]) => (
        <a href={`/api/v1/exports/${kind}?${query}`}>{name}</a>
      ))}
    </div>
  );
}
