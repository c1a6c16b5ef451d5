import type { Silence } from '../../../monitor/status/silence.ts';
import type { Backlog } from '../../../store/reads/machinery.ts';
import type { UnreadResponses } from '../../../store/reads/unread.ts';
import type { TableSize } from '../../../store/retention/sizes.ts';
import { bytesOf } from '../detail/units.ts';
import { Count } from '../kit/number.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { When } from '../kit/when.tsx';
import type { ShownWorker } from './workers.tsx';

/** First of all: whether workers run, and whether anything waits or is missing that should not. */
export function Summary({
  workers,
  backlog,
  silence,
  unread,
  tables,
}: {
  workers: readonly ShownWorker[];
  backlog: Backlog;
  silence: Silence;
  unread: UnreadResponses;
  tables: readonly TableSize[];
}) {
  const alive = workers.filter(({ silent }) => !silent);
  return (
    <Stats label="In short">
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
              the oldest since <When at={backlog.queued_since} />
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
              the first since <When at={backlog.overdue_since} />
            </>
          )
        }
        loud={backlog.overdue > 0 && alive.length === 0}
      />
      <Stat
        name="silent"
        value={<Count of={silence.total} />}
        unit={silence.total === 1 ? 'search' : 'searches'}
        note={silence.total === 0 ? undefined : <a href="/#amiss">no successful run for three intervals</a>}
        loud={silence.total > 0}
      />
      <Stat
        name="unread"
        value={<Count of={unread.stored + unread.spooled} />}
        unit={unread.stored + unread.spooled === 1 ? 'response' : 'responses'}
        note={unread.late === 0 ? undefined : <a href="#queue">{unread.late} for more than a minute</a>}
        loud={unread.late > 0}
      />
      <Stat name="stored" value={bytesOf(tables.reduce((sum, { bytes }) => sum + bytes, 0))} />
    </Stats>
  );
}
