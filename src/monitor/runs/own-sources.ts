/**
 * Sources of a topic in the request of a run, and the reports about them in its response. Only the own service of this
 * program gets them: a hosted service is never sent an address, nor which sources are switched off.
 */
import type { ParsedSourceReport } from '../../model/parsed-results.ts';
import type { OwnSources } from '../../protocol/own-sources.ts';
import type { LeasedRun } from '../../store/runs/run-leases.ts';
import { listRequestSources, saveSourceReports } from '../../store/topics/topic-sources.ts';
import type { Context } from '../context.ts';

/** Feeds and pages, of a search that asks Web Search; and sources that are switched off. Undefined if there are none. */
export async function readOwnSources(
  { db }: Pick<Context, 'db'>,
  run: Pick<LeasedRun, 'service_kind' | 'search_id' | 'operation' | 'tools'>,
): Promise<OwnSources | undefined> {
  if (run.service_kind !== 'own') return undefined;
  const rows = await listRequestSources(db.pool, run.search_id);
  if (rows.length === 0) return undefined;
  const asksWeb = run.operation === 'ai' && run.tools.includes('Web Search');
  return {
    read: rows
      .filter(({ kind }) => asksWeb && kind !== 'service')
      .map(({ id, kind, address, takes_all }) => ({
        id: String(id),
        kind: kind === 'page' ? 'page' : 'feed',
        address,
        ...(takes_all && { all: true }),
      })),
    without: rows.filter(({ kind }) => kind === 'service').map(({ address }) => address),
  };
}

/** Stores the reports of a response. Never throws: the results of the run matter more. */
export async function keepSourceReports(
  { db, log }: Pick<Context, 'db' | 'log'>,
  run: Pick<LeasedRun, 'id' | 'search_id' | 'service_kind'>,
  reports: readonly ParsedSourceReport[],
  receivedAt: Date,
): Promise<void> {
  const known = reports.filter(
    ({ id, state }) => /^\d{1,18}$/.test(id) && (state === 'read' || state === 'failed'),
  );
  if (run.service_kind !== 'own' || known.length === 0) return;
  const rows = known.map(({ id, state, title, entries, newest, problem }) => ({
    id: BigInt(id),
    isRead: state === 'read',
    title,
    entries,
    newestAt: newest === null ? null : new Date(newest),
    problem,
  }));
  await saveSourceReports(db, run.search_id, rows, receivedAt).catch((error: unknown) => {
    log.warn({ err: error, run: String(run.id) }, 'source reports not saved');
  });
}
