/** The page System: health of database, queue and workers, services and budgets, storage, versions. */

import { VERSION } from '../../config/version.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { type CheckState, tallyChecks } from '../../monitor/status/check.ts';
import { judgeStatus } from '../../monitor/status/status-checks.ts';
import { STATUS_NAMES } from '../../monitor/status/status-names.ts';
import { Facts, Stat, Stats } from '../components/fact-list.tsx';
import { formatBytes } from '../../lib/display-format.ts';
import { Count, formatCount } from '../components/numbers.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { PauseAllButtons, PauseOfAllNotice } from '../topic/pause-pages.tsx';
import { readSystemData, type SystemData } from './system-data.ts';
import { CheckSection, ScanAndQueue, WorkerTable } from './system-queue.tsx';
import { BudgetSection, ModelSection, SourceTable } from './system-services.tsx';
import { StorageSection } from './system-storage.tsx';

export function addSystemPage(app: App, routeContext: RouteContext): void {
  app.get('/system', { config: { scope: 'read' } }, async (request, reply) => {
    const data = await readSystemData(routeContext);
    return renderPage(request, reply, {
      title: 'System',
      here: '/system',
      charts: true,
      aside: <PauseAllButtons />,
      statusLine: data.pause === null ? undefined : <PauseOfAllNotice pause={data.pause} />,
      lead: describeTally(tallyChecks(judgeStatus(data.facts, String))),
      body: (
        <>
          <SystemSummary {...data} />
          {routeContext.sandbox == null ? null : (
            <p class="hint">
              Simulated data, to try things out: <a href={routeContext.sandbox}>{routeContext.sandbox}</a>
            </p>
          )}
          <CheckSection {...data} />
          <WorkerTable rows={data.facts.workers} />
          <ScanAndQueue {...data} />
          <BudgetSection {...data} />
          <ModelSection {...data} />
          <SourceTable rows={data.sources} />
          <StorageSection {...data} config={routeContext.ctx.config} />
          <SystemVersions {...data} />
        </>
      ),
    });
  });
}

/** `1 check failed, 2 checks need attention.`; `All 5 checks passed.` */
function describeTally({ failed, attention, unknown, ok }: Record<CheckState, number>): string {
  const parts = [
    ...(failed === 0 ? [] : [`${formatCount(failed, 'check')} failed`]),
    ...(attention === 0 ? [] : [`${formatCount(attention, 'check needs', 'checks need')} attention`]),
    ...(unknown === 0 ? [] : [`${formatCount(unknown, 'check')} could not be made`]),
  ];
  return parts.length === 0 ? `All ${ok} checks passed.` : `${parts.join(', ')}.`;
}

/** Key figures: whether workers run, and what waits or is missing. */
function SystemSummary({
  facts: { workers, troubled, backlog, unread_responses: unread },
  tables,
}: SystemData) {
  const alive = workers.filter(({ silent }) => !silent);
  return (
    <Stats label="Summary">
      <Stat
        name="workers"
        value={<Count of={alive.length} />}
        note={
          alive.length === 0
            ? 'schedules are on hold'
            : `${formatCount(
                alive.reduce((sum, { concurrency }) => sum + concurrency, 0),
                'run',
              )} at once`
        }
        loud={alive.length === 0}
      />
      <Stat
        name="running"
        value={<Count of={backlog.running} />}
        unit={backlog.running === 1 ? 'run' : 'runs'}
      />
      <Stat
        name="waiting"
        value={<Count of={backlog.queued} />}
        unit={backlog.queued === 1 ? 'run' : 'runs'}
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
        unit={backlog.overdue === 1 ? 'search' : 'searches'}
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
        name="need attention"
        value={<Count of={troubled.length} />}
        unit={troubled.length === 1 ? 'search' : 'searches'}
        note={troubled.length === 0 ? undefined : <a href="/#amiss">{describeTroubled(troubled)}</a>}
        loud={troubled.length > 0}
      />
      <Stat
        name="unread"
        value={<Count of={unread.stored + unread.spooled} />}
        unit={unread.stored + unread.spooled === 1 ? 'response' : 'responses'}
        note={unread.late === 0 ? undefined : <a href="#checks">{unread.late} for more than a minute</a>}
        loud={unread.late > 0}
      />
      <Stat name="stored" value={formatBytes(tables.reduce((sum, { bytes }) => sum + bytes, 0))} />
    </Stats>
  );
}

/** `2 failing, 1 nothing coming`, the worst first. */
function describeTroubled(troubled: SystemData['facts']['troubled']): string {
  const byStatus = groupBy(troubled, ({ status }) => status);
  return [...byStatus].map(([status, its]) => `${its.length} ${STATUS_NAMES[status]}`).join(', ');
}

function SystemVersions({ server, contract, upkeep, isEmbedded }: SystemData) {
  return (
    <Section title="Versions" id="versions">
      <Facts
        label="Versions"
        facts={[
          ['strandline', VERSION],
          ['Node', process.versions.node],
          ['PostgreSQL', `${server.version}, ${isEmbedded ? 'embedded' : 'your own'}`],
          ['Schema', `${formatCount(upkeep.migrations, 'migration')} applied`],
          [
            'SQL contract',
            <IfAllowed scope="sql" otherwise={contract}>
              <a href="/explore/sql">{contract}</a>
            </IfAllowed>,
          ],
        ]}
      />
    </Section>
  );
}
