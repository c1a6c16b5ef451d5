import { MINUTE } from '../../engine/clock.ts';
import type { Id } from '../../store/database.ts';
import { readEnded, readRunsOf } from '../../store/reads/ended-runs.ts';
import type { RunRow } from '../../store/reads/runs.ts';
import type { Context } from '../context.ts';

/**
 * How far back is looked each time: a run is committed some time after its end was taken from a clock, which may
 * be that of another machine.
 */
const WINDOW_MS = 5 * MINUTE;
const MOST = 10_000;

/** Runs that ended since the look before, each once. */
export function watchEnds({ db, clock }: Pick<Context, 'db' | 'clock'>): {
  /** What ended until now is not told. */
  begin(): Promise<void>;
  next(): Promise<RunRow[]>;
} {
  /** Ids of what was told and still lies in the window. */
  let told: ReadonlySet<Id> = new Set();
  const inWindow = () => {
    const after = new Date(clock.now().getTime() - WINDOW_MS);
    return readEnded(db, { after, limit: MOST });
  };
  const remember = (ended: readonly { id: Id }[]) => {
    told = new Set(ended.map(({ id }) => id));
  };
  return {
    begin: async () => remember(await inWindow()),
    next: async () => {
      const ended = await inWindow();
      const rows = await readRunsOf(
        db,
        ended.flatMap(({ id }) => (told.has(id) ? [] : [id])),
      );
      remember(ended);
      return rows;
    },
  };
}
