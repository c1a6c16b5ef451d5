/** Registers rows as tests of one back end: plays each on its own stage, then runs the checks. */
import { setTimeout as wait } from 'node:timers/promises';
import { inject, test } from 'vitest';
import type { TestBackend } from '../backends.ts';
import { prepareProcess } from '../processes.ts';
import { mayMount } from './small-disk.ts';
import type { Row } from './row.ts';
import { ROWS } from './rows/all.ts';
import { nemesis } from './rows/nemesis.ts';
import { openStage, type Played } from './stage.ts';

/** Which rows are played: ids or their prefixes; or the main ones, those of every commit, or all. */
export type Choice = {
  only: string[] | null;
  rows: 'main' | 'every commit' | 'all';
  backend: 'postgres' | 'redis' | null;
  /** Only random faults, for this long. */
  nemesis: { ms: number; seed: number; searches: number } | null;
};

declare module 'vitest' {
  export interface ProvidedContext {
    faults?: Choice;
  }
  interface TaskMeta {
    row?: { id: string; title: string; backend: string; calls: number; lost: number; doubled: number };
  }
}

const SECONDS = 180;

/** @param rows which are played, unless `npm run test:faults` says so */
export function playRows(backend: TestBackend, rows: Choice['rows'] = 'every commit'): void {
  const chosen = chosenRows(inject('faults') ?? { only: null, rows, backend: null, nemesis: null }, backend);
  if (chosen.length === 0) test.skip('no row was selected', () => {});
  for (const row of chosen) {
    const seconds = row.seconds ?? SECONDS;
    test(`${row.id} ${row.title}`, { timeout: (seconds + 120) * 1_000 }, async ({ task }) => {
      prepareProcess();
      const stage = await openStage(row, backend);
      try {
        await within(seconds, row.play(stage));
        const { broken, ...counted } = await stage.verdict();
        task.meta.row = { id: row.id, title: row.title, backend: backend.name, ...counted };
        if (broken.length > 0) throw new Error(broken.join('\n'));
      } catch (error) {
        throw told(error, stage);
      } finally {
        await stage.close();
      }
    });
  }
}

function chosenRows({ only, rows, backend: asked, nemesis: harm }: Choice, { name }: TestBackend): Row[] {
  if (asked !== null && asked !== name) return [];
  if (harm !== null) return [nemesis(harm)];
  return ROWS.filter((row) => {
    if (row.backends?.includes(name) === false || (row.mounts === true && !mayMount())) return false;
    if (only !== null) return only.some((id) => row.id === id || row.id.startsWith(`${id} `));
    if (rows === 'main') return row.main === true;
    // Those that `main-rows.test.ts` plays are not played twice.
    if (rows === 'every commit' && row.main === true && name === 'postgres') return false;
    return rows === 'all' || row.everyCommit === true || row.everyCommit === name;
  });
}

async function within(seconds: number, played: Promise<void>): Promise<void> {
  const late = new AbortController();
  const deadline = wait(seconds * 1_000, undefined, { signal: late.signal }).then(() => {
    throw new Error(`not played within ${seconds} seconds`);
  });
  try {
    await Promise.race([played, deadline]);
  } finally {
    late.abort();
    deadline.catch(() => {});
  }
}

/** The error, with the last log lines of the workers. */
function told(error: unknown, stage: Played): unknown {
  if (error instanceof Error) error.message += `\n\n${stage.lastWords()}`;
  return error;
}
