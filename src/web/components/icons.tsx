import type { RunStatus, SearchState, SearchStatusName } from '../../model/closed-lists.ts';

export type BadgeState = SearchState | SearchStatusName | RunStatus | 'new' | 'baseline' | 'rising';

/** A shape per state, for people who cannot tell the colors apart. */
const STATE_PATHS: Readonly<Record<BadgeState, string>> = {
  ok: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  active: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  succeeded: 'M2.5 6.3 5 8.8 9.7 3.5',
  paused: 'M4.2 3v6M7.8 3v6',
  cancelled: 'M3 6h6',
  skipped: 'M3 3.5 5.5 6 3 8.5M6.5 3.5 9 6 6.5 8.5',
  broken: 'M3 3l6 6M9 3 3 9',
  failed: 'M3 3l6 6M9 3 3 9',
  failing: 'M3 3l6 6M9 3 3 9',
  nothing_coming: 'M2.5 6h1.2M5.4 6h1.2M8.3 6h1.2',
  waiting_for_source: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M6 4.5V6l1.2.8',
  waiting: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M6 4.5V6l1.2.8',
  silent: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  capped: 'M2.5 3h7M6 10V5M3.8 7.2 6 5l2.2 2.2',
  queued: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M6 4.5V6l1.2.8',
  running: 'M4 2.8v6.4L9 6z',
  removed: 'M3 6h6',
  new: 'M6 2.5v7M2.5 6h7',
  baseline: 'M2 8.5h8M4 5.5h4',
  rising: 'M2.5 8.5 5 6l1.5 1.5L9.5 4M7 3.8h2.5v2.5',
};

/** What a state is called, where that is not its own name. */
const STATE_WORDS: Partial<Record<BadgeState, string>> = { baseline: 'at the start' };

/** A state with shape and word; the reason is its tooltip. */
export function Badge({ state, words, why }: { state: BadgeState; words?: string; why?: string | null }) {
  return (
    <span class={`badge is-${state}`} title={why ?? undefined}>
      <StateIcon state={state} />
      {words ?? STATE_WORDS[state] ?? state}
    </span>
  );
}

export function StateIcon({ state }: { state: BadgeState }) {
  return (
    <svg class={`shape is-${state}`} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d={STATE_PATHS[state]} />
    </svg>
  );
}

/** 16 by 16 units, stroked in the color of the text. */
const ICON_PATHS = {
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6l7.5-4.8z',
  run: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2zM9.5 4.3l2.2 2.2',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.3h10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 13.5 13.5',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  out: 'M6 3.5H3.5v9h9V10M9 3h4v4M12.8 3.2 7.5 8.5',
  spike: 'M1.5 12.5h3.3L8 3l3.2 9.5h3.3',
  trend: 'M2 12 6 8l3 2.5L14 4M10.3 4H14v3.7',
  growth: 'M2.5 13.5h11M4.5 13.5V9.5M8 13.5V6.5M11.5 13.5v-11',
  name: 'M2.5 3.5h6.5l4.5 4.5-5.5 5.5-5.5-5.5zM5.5 6.5h0',
  link: 'M6.8 9.2 9.2 6.8M7.3 4.6l1.5-1.5a2.9 2.9 0 0 1 4.1 4.1l-1.5 1.5M8.7 11.4l-1.5 1.5a2.9 2.9 0 0 1-4.1-4.1l1.5-1.5',
  post: 'M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z',
  completion: 'M3 4h10M3 7h10M3 10h6.5M3 13h4',
  next: 'M6 3.5 10.5 8 6 12.5',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5 6.5 12 13 4.5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h0',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.8V8l2.2 1.5',
  keys: 'M2 4.5h12v7H2zM4.5 7h0M7 7h0M9.5 7h0M12 7h0M5 9.5h6',
} as const;
export type IconName = keyof typeof ICON_PATHS;

/** Decorative: always next to text, because it has no accessible name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
