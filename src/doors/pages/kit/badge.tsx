import type { RunStatus } from '../../../store/schema/analytics/runs.ts';
import type { SearchState } from '../../../store/schema/analytics/topics.ts';

export type BadgeState =
  | SearchState
  | RunStatus
  | 'silent'
  | 'removed'
  | 'simulated'
  | 'new'
  | 'baseline'
  | 'rising';

/** Each state has a shape of its own, for those who cannot tell the colours. */
const SHAPES: Readonly<Record<BadgeState, string>> = {
  active: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  succeeded: 'M2.5 6.3 5 8.8 9.7 3.5',
  paused: 'M4.2 3v6M7.8 3v6',
  cancelled: 'M3 6h6',
  skipped: 'M3 3.5 5.5 6 3 8.5M6.5 3.5 9 6 6.5 8.5',
  broken: 'M3 3l6 6M9 3 3 9',
  failed: 'M3 3l6 6M9 3 3 9',
  silent: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  capped: 'M2.5 3h7M6 10V5M3.8 7.2 6 5l2.2 2.2',
  queued: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M6 4.5V6l1.2.8',
  running: 'M4 2.8v6.4L9 6z',
  removed: 'M3 6h6',
  simulated: 'M1.5 6.5c1.5-3 3-3 4.5 0s3 3 4.5 0',
  new: 'M6 2.5v7M2.5 6h7',
  baseline: 'M2 8.5h8M4 5.5h4',
  rising: 'M2.5 8.5 5 6l1.5 1.5L9.5 4M7 3.8h2.5v2.5',
};

/** What state a search, a run or a thing is in: its shape, its word, and why in the title. */
export function Badge({ state, words, why }: { state: BadgeState; words?: string; why?: string | null }) {
  return (
    <span class={`badge is-${state}`} title={why ?? undefined}>
      <Shape state={state} />
      {words ?? state}
    </span>
  );
}

export function Shape({ state }: { state: BadgeState }) {
  return (
    <svg class={`shape is-${state}`} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d={SHAPES[state]} />
    </svg>
  );
}
