import { RUN_CODES } from '../../../errors.ts';
import type { RunCell } from '../../../store/reads/of-searches.ts';
import { Shape } from './badge.tsx';
import { useFrame } from './frame.ts';
import { minuteOf } from './zone.ts';

/** Runs one after the other, the oldest first: each a cell that leads to it, with a shape for how it ended. */
export function RunStrip({ runs, label }: { runs: readonly RunCell[]; label: string }) {
  const { zone } = useFrame();
  const counts = new Map<RunCell['status'], number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    <div class="runs">
      <ol class="strip" aria-label={label} data-roving="">
        {runs.map((run) => {
          const told = tellRun(run, zone);
          return (
            <li>
              <a href={`/runs/${run.id}`} class={`cell is-${run.status}`} title={told}>
                <Shape state={run.status} />
                <span class="unseen">{told}</span>
              </a>
            </li>
          );
        })}
      </ol>
      <p class="legend">
        {[...counts].map(([status, n]) => (
          <span>
            <Shape state={status} /> {n} {status}
          </span>
        ))}
      </p>
    </div>
  );
}

/** `Run of 21 Nov, 14:05: failed, the service failed` */
export function tellRun(run: RunCell, zone: string): string {
  const at = minuteOf(run.slot_at ?? run.created_at, zone);
  const why = run.code === null ? run.reason : RUN_CODES[run.code];
  const span = run.span_slots === null || run.span_slots < 2 ? '' : ` (${run.span_slots} slots)`;
  const found = run.status === 'succeeded' && run.items_new !== null ? `, ${run.items_new} new` : '';
  return `${run.search}, ${at}${span}: ${run.status}${found}${why === null ? '' : `, ${why}`}`;
}
