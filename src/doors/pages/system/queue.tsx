import type { Context } from '../../../monitor/context.ts';
import type { Backlog } from '../../../store/reads/machinery.ts';
import { Facts } from '../detail/facts.tsx';
import { Count } from '../kit/number.tsx';
import { Section } from '../kit/section.tsx';

type WorkQueue = Context['queue'];

/** How much the queue holds, by state, and how many schedules; null where it cannot be reached. */
export type QueueNow = { depth: Record<string, number>; schedules: number } | null;

/** Asks the queue, and does not wait for one that does not answer. */
export async function readQueue(
  queue: Pick<WorkQueue, 'depth' | 'countSchedules'>,
  patienceMs: number,
): Promise<QueueNow> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patienceMs, null);
  });
  try {
    const asked = Promise.all([queue.depth(), queue.countSchedules()]);
    return await Promise.race([asked.then(([depth, schedules]) => ({ depth, schedules })), late]);
  } catch {
    return null; // what is away is shown as such; workers log why
  } finally {
    clearTimeout(timer);
  }
}

export function Queue({
  kind,
  queue,
  backlog,
}: {
  kind: WorkQueue['kind'];
  queue: QueueNow;
  backlog: Backlog;
}) {
  return (
    <Section
      title="Queue and schedules"
      id="queue"
      note="The queue only wakes workers: what is due stands in the database. Every half minute one worker compares the two, puts schedules right, and takes up what was left lying."
    >
      <Facts
        label="Queue and schedules"
        facts={[
          [
            'Queue',
            `BullMQ on ${kind === 'redis' ? 'Redis' : 'Postgres'}${queue === null ? ', not reachable: runs wait in the database' : ''}`,
          ],
          ['Holds', queue === null ? null : depthWords(queue.depth)],
          [
            'Schedules',
            <>
              {queue === null ? 'not known' : <Count of={queue.schedules} />} in the queue,{' '}
              <Count of={backlog.scheduled} /> searches to be scheduled
              {queue !== null && queue.schedules !== backlog.scheduled
                ? ': a worker puts that right within a minute'
                : ''}
            </>,
          ],
          [
            'Runs whose worker is gone',
            <>
              <Count of={backlog.expired} />
              {backlog.expired > 0 ? ': taken up by the next worker' : ''}
            </>,
          ],
        ]}
      />
    </Section>
  );
}

function depthWords(depth: Readonly<Record<string, number>>): string {
  const parts = Object.entries(depth)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
