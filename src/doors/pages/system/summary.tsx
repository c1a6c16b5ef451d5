import type { Backlog } from '../../../store/reads/machinery.ts';
import type { TableSize } from '../../../store/retention/sizes.ts';
import { bytesOf } from '../detail/units.ts';
import { Count } from '../kit/number.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { When } from '../kit/when.tsx';
import type { ShownWorker } from './workers.tsx';

/** What is seen first: whether somebody works, and whether anything waits that should not. */
export function Summary({
  workers,
  backlog,
  tables,
}: {
  workers: readonly ShownWorker[];
  backlog: Backlog;
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
            ? 'nothing runs by itself'
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
      <Stat name="stored" value={bytesOf(tables.reduce((sum, { bytes }) => sum + bytes, 0))} />
    </Stats>
  );
}
