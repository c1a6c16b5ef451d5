/** Health of database, queue and workers. */
import { DAY, SECOND } from '../../../engine/clock.ts';
import { callsPerDayOf } from '../../../config.ts';
import { limitsAt } from '../../../store/retention/limits.ts';
import { tableSizes, whatIsDue } from '../../../store/retention/sizes.ts';
import { readContractVersion } from '../../../store/reads/contract-columns.ts';
import { readBacklog, readCallDays, readUpkeep } from '../../../store/reads/machinery.ts';
import { readServer } from '../../../store/reads/server.ts';
import { readServiceDays } from '../../../store/reads/status.ts';
import { readSetAside } from '../../../store/derive/pending.ts';
import { readUnread } from '../../../store/reads/unread.ts';
import { liveWorkers, WORKER_SILENCE_MS } from '../../../store/workers.ts';
import type { App, WebHome } from '../../routes.ts';
import { mayDo } from '../../../monitor/access/scopes.ts';
import { readSilence } from '../../../monitor/status/silence.ts';
import { showPage } from '../kit/show.tsx';
import { Budgets } from './budgets.tsx';
import { readQueue, ScanAndQueue } from './queue.tsx';
import { Sources } from './sources.tsx';
import { Storage } from './storage.tsx';
import { Summary } from './summary.tsx';
import { Versions } from './versions.tsx';
import { Workers } from './workers.tsx';

/** Searches whose trends wait, at most. */
const MAX_SET_ASIDE = 10;
/** Days of calls that are drawn, today among them. */
const CALL_DAYS = 30;

export function systemPage(app: App, home: WebHome): void {
  app.get('/system', { config: { scope: 'read' } }, async (request, reply) => {
    const told = await readSystem(home);
    return showPage(request, reply, {
      title: 'System',
      here: '/system',
      charts: true,
      aside: mayDo(request.visitor, 'admin') ? (
        <>
          <a href="/system/tokens">Tokens</a> <a href="/system/audit">Audit log</a>
        </>
      ) : undefined,
      lead: 'Health of database, queue and workers. The command strandline doctor checks more.',
      body: (
        <>
          <Summary
            workers={told.workers}
            backlog={told.backlog}
            silence={told.silence}
            unread={told.unread}
            tables={told.tables}
          />
          <Workers rows={told.workers} />
          <ScanAndQueue
            kind={home.ctx.queue.kind}
            queue={told.queue}
            backlog={told.backlog}
            unread={told.unread}
            aside={told.aside}
          />
          <Budgets services={told.services} days={told.callDays} from={told.from} count={CALL_DAYS} />
          <Sources rows={told.sources} />
          <Storage
            tables={told.tables}
            due={told.due}
            upkeep={told.upkeep}
            days={{
              answers: home.ctx.config.answerDays,
              rejects: home.ctx.config.rejectDays,
              audit: home.ctx.config.auditDays,
              snapshots: home.ctx.config.snapshotDays ?? null,
            }}
          />
          <Versions
            server={told.server.version}
            contract={told.contract}
            migrations={told.upkeep.migrations}
            embedded={home.embedded !== null}
          />
        </>
      ),
    });
  });
}

/** A queue that does not answer is said to be away; nobody waits for it. */
const PATIENCE_MS = SECOND;

async function readSystem({ ctx, services: access }: WebHome) {
  const { db, config } = ctx;
  const now = ctx.clock.now();
  const from = new Date((Math.floor(now.getTime() / DAY) - CALL_DAYS + 1) * DAY);
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  const [
    workers,
    backlog,
    silence,
    unread,
    aside,
    queue,
    services,
    callDays,
    sources,
    tables,
    due,
    upkeep,
    server,
    contract,
  ] = await Promise.all([
    liveWorkers(db, new Date(now.getTime() - DAY)),
    readBacklog(db, now),
    readSilence(ctx),
    readUnread(db, { statementTime: ctx.clock.statementTime(), heardSince }),
    readSetAside(db, MAX_SET_ASIDE),
    readQueue(ctx.queue, PATIENCE_MS),
    readServiceDays(db, now),
    readCallDays(db, from),
    access.health(),
    tableSizes(db),
    whatIsDue(db, limitsAt(now, config)),
    readUpkeep(db),
    readServer(db),
    readContractVersion(db),
  ]);
  return {
    workers: workers.map((one) => ({
      ...one,
      silent: now.getTime() - one.seen_at.getTime() > WORKER_SILENCE_MS,
    })),
    services: services.map((one) => ({
      ...one,
      limit: callsPerDayOf(config, one.kind),
      missing: one.kind === 'hosted' && config.hosted === undefined,
    })),
    backlog,
    silence,
    unread,
    aside,
    queue,
    callDays,
    sources,
    tables,
    due,
    upkeep,
    server,
    contract,
    from,
  };
}
