/** The page System: health of database, queue and workers, services and budgets, storage, versions. */

import { awaitAll } from '../../domain/await-all.ts';
import type { Data } from '../../domain/data.ts';
import { VERSION } from '../../config/version.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { judgeSilence, type SilentSearches } from '../../monitor/status/search-silence.ts';
import {
  readQueueDepth,
  readServiceBudgets,
  readWorkers,
  type WorkerStatus,
} from '../../monitor/status/system-status.ts';
import { DAY } from '../../domain/time.ts';
import { readSetAside } from '../../store/derive/pending-derivations.ts';
import {
  countDue,
  readTableSizes,
  retentionLimitsAt,
  type TableSize,
} from '../../store/maintenance/retention.ts';
import { readContractVersion } from '../../store/queries/sql-contract.ts';
import {
  type Backlog,
  readBacklog,
  readCallDays,
  readServer,
  readUnread,
  readUpkeep,
  type UnreadResponses,
} from '../../store/queries/system.ts';
import { WORKER_SILENCE_MS } from '../../store/worker-registry.ts';
import { Facts, Stat, Stats } from '../components/fact-list.tsx';
import { formatBytes } from '../../domain/display-format.ts';
import { Count, formatCount } from '../components/numbers.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ScanAndQueue, WorkerTable } from './system-queue.tsx';
import { BudgetSection, SourceTable } from './system-services.tsx';
import { StorageSection } from './system-storage.tsx';
import { SideLink } from '../components/side-notice.tsx';

/** Maximum searches listed with delayed trends. */
const MAX_SET_ASIDE = 10;
/** Days in the chart of calls, including today. */
const CALL_DAYS = 30;

export function addSystemPage(app: App, routeContext: RouteContext): void {
  app.get('/system', { config: { scope: 'read' } }, async (request, reply) => {
    const data = await readSystemData(routeContext, request.frame.data);
    return renderPage(request, reply, {
      title: 'System',
      here: '/system',
      charts: true,
      aside: hasScopes(request.visitor, 'admin') ? (
        <>
          <a href="/system/tokens">Tokens</a> <a href="/system/audit">Audit log</a>
        </>
      ) : undefined,
      lead: 'Health of database, queue and workers. For more checks, run strandline doctor.',
      body: (
        <>
          <SystemSummary
            workers={data.workers}
            backlog={data.backlog}
            silence={data.silence}
            unread={data.unread}
            tables={data.tables}
          />
          <WorkerTable rows={data.workers} />
          <ScanAndQueue
            kind={routeContext.ctx.queue.kind}
            queue={data.queue}
            backlog={data.backlog}
            unread={data.unread}
            aside={data.aside}
          />
          <BudgetSection services={data.services} days={data.callDays} from={data.from} count={CALL_DAYS} />
          <SourceTable rows={data.sources} />
          <StorageSection
            tables={data.tables}
            due={data.due}
            upkeep={data.upkeep}
            config={routeContext.ctx.config}
          />
          <SystemVersions
            server={data.server.version}
            contract={data.contract}
            migrations={data.upkeep.migrations}
            embedded={routeContext.embedded !== null}
          />
        </>
      ),
    });
  });
}

async function readSystemData({ ctx, services: access }: RouteContext, data: Data) {
  const { db, config } = ctx;
  const now = ctx.clock.now();
  const from = new Date((Math.floor(now.getTime() / DAY) - CALL_DAYS + 1) * DAY);
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  return {
    from,
    ...(await awaitAll({
      workers: readWorkers(ctx),
      backlog: readBacklog(db, now),
      silence: judgeSilence(ctx, data),
      unread: readUnread(db, { statementTime: ctx.clock.statementTime(), heardSince }),
      aside: readSetAside(db, data, MAX_SET_ASIDE),
      queue: readQueueDepth(ctx.queue),
      services: readServiceBudgets(ctx),
      callDays: readCallDays(db, from),
      sources: access.health(),
      tables: readTableSizes(db),
      due: countDue(db, retentionLimitsAt(now, config)),
      upkeep: readUpkeep(db),
      server: readServer(db),
      contract: readContractVersion(db),
    })),
  };
}

/** Key figures: whether workers run, and what waits or is missing. */
function SystemSummary({
  workers,
  backlog,
  silence,
  unread,
  tables,
}: {
  workers: readonly WorkerStatus[];
  backlog: Backlog;
  silence: SilentSearches;
  unread: UnreadResponses;
  tables: readonly TableSize[];
}) {
  const alive = workers.filter(({ silent }) => !silent);
  return (
    <Stats label="Summary">
      <Stat
        name="workers"
        value={<Count of={alive.length} />}
        note={
          alive.length === 0
            ? 'schedules are on hold'
            : `${alive.reduce((sum, { concurrency }) => sum + concurrency, 0)} runs at once`
        }
        loud={alive.length === 0}
      />
      <Stat name="running" value={<Count of={backlog.running} />} unit="runs" />
      <Stat
        name="waiting"
        value={<Count of={backlog.queued} />}
        unit="runs"
        note={
          backlog.queued_since === null ? undefined : (
            <>
              oldest since <Timestamp at={backlog.queued_since} />
            </>
          )
        }
      />
      <Stat
        name="overdue"
        value={<Count of={backlog.overdue} />}
        unit="searches"
        note={
          backlog.overdue_since === null ? undefined : (
            <>
              first since <Timestamp at={backlog.overdue_since} />
            </>
          )
        }
        loud={backlog.overdue > 0 && alive.length === 0}
      />
      <Stat
        name="silent"
        value={<Count of={silence.total} />}
        unit={silence.total === 1 ? 'search' : 'searches'}
        note={
          silence.total === 0 ? undefined : (
            <SideLink href="/#amiss">no successful run for three intervals</SideLink>
          )
        }
        loud={silence.total > 0}
      />
      <Stat
        name="unread"
        value={<Count of={unread.stored + unread.spooled} />}
        unit={unread.stored + unread.spooled === 1 ? 'response' : 'responses'}
        note={unread.late === 0 ? undefined : <a href="#queue">{unread.late} for more than a minute</a>}
        loud={unread.late > 0}
      />
      <Stat name="stored" value={formatBytes(tables.reduce((sum, { bytes }) => sum + bytes, 0))} />
    </Stats>
  );
}

function SystemVersions({
  server,
  contract,
  migrations,
  embedded,
}: {
  server: string;
  contract: string;
  migrations: number;
  embedded: boolean;
}) {
  return (
    <Section title="Versions" id="versions">
      <Facts
        label="Versions"
        facts={[
          ['strandline', VERSION],
          ['Node', process.versions.node],
          ['PostgreSQL', `${server}, ${embedded ? 'embedded' : 'your own'}`],
          ['Schema', `${formatCount(migrations, 'migration')} applied`],
          [
            'SQL contract',
            <IfAllowed scope="sql" otherwise={contract}>
              <SideLink href="/explore/sql">{contract}</SideLink>
            </IfAllowed>,
          ],
        ]}
      />
    </Section>
  );
}
