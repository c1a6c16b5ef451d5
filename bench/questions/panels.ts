/** The statements of Grafana's panels, asked as Grafana asks them: of one topic, with all of its searches that a dashboard is about. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { DAY } from '../../src/lib/time.ts';
import { type DashboardFile, readDashboards, statementsOf } from '../../test/grafana/dashboards.ts';
import { fillIn } from '../../test/grafana/fill-in.ts';
import { AI_SEARCHES, MICROBLOG_SEARCHES, slugOf, TOPICS, topicOf } from './fill.ts';

/** @property cpuMs of Postgres, which other work on the machine does not bend; null where the system does not tell it */
export type PanelFigures = { name: string; rows: number; took: number[]; cpuMs: number | null };
export type PanelOptions = {
  readerUrl: string;
  /** The history's end, and how much of it is shown. */
  until: Date;
  days: number;
  times: number;
  /** Every topic and search, in place of one topic. */
  all: boolean;
  /** Part of a panel's name; empty for all panels. */
  only: string;
};

const WARM_UP = 2;
/** Of the clock in which Linux counts a process's time. */
const TICK_MS = 10;

/** Every statement of every panel, one after the other on one connection, each time of the next topic. */
export async function* measurePanels(options: PanelOptions): AsyncGenerator<PanelFigures> {
  const { readerUrl, until, days, times } = options;
  const range = { from: new Date(until.getTime() - days * DAY), to: until };
  const client = new Client({ connectionString: readerUrl, application_name: 'strandline bench' });
  await client.connect();
  try {
    // What other processes do for this one would be in nobody's CPU time.
    await client.query('SET max_parallel_workers_per_gather = 0');
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    for (const { name, sql, file } of panels()) {
      if (!name.includes(options.only)) continue;
      const took: number[] = [];
      let found = 0;
      let before = 0;
      for (let i = -WARM_UP; i < times; i += 1) {
        if (i === 0) before = cpuMsOf(rows[0]?.pid) ?? 0;
        const variables = choice(file, options.all ? null : 1 + ((i + WARM_UP) % TOPICS));
        const text = fillIn(sql, { range, variables });
        const begun = performance.now();
        const answer = await client.query(text);
        if (i < 0) continue;
        took.push(performance.now() - begun);
        found += answer.rows.length / times;
      }
      const after = cpuMsOf(rows[0]?.pid);
      yield { name, rows: found, took, cpuMs: after === null ? null : (after - before) / times };
    }
  } finally {
    await client.end();
  }
}

function panels(): { name: string; sql: string; file: string }[] {
  return readDashboards().flatMap(({ file, dashboard }: DashboardFile) => {
    const board = file.replace('.json', '');
    return statementsOf(dashboard).map(({ of, sql }) => ({ name: `${board}: ${of}`, sql, file: board }));
  });
}

/** The searches of the n-th topic, the largest of all in the first; those of answers where a dashboard is about answers. */
function choice(file: string, n: number | null): Record<string, string | string[]> {
  const ai = file === 'links' || file === 'completions';
  const operation = ai ? 'ai' : 'microblog';
  const of = ai ? AI_SEARCHES : MICROBLOG_SEARCHES;
  // The k-th search is of the topic k % TOPICS + 1.
  const searches = numbers(of).filter((k) => n === null || k % TOPICS === n % TOPICS);
  const slugs = searches.map((k) => slugOf(operation, k));
  const topics = numbers(TOPICS)
    .filter((k) => n === null || k === (n % TOPICS) + 1)
    .map(topicOf);
  const one = file === 'search';
  return { topic: one ? (topics[0] ?? '') : topics, search: one ? (slugs[0] ?? '') : slugs, interval: '6h' };
}

const numbers = (to: number) => Array.from({ length: to }, (_, i) => i + 1);

/** User and system time of a process so far, in milliseconds. */
function cpuMsOf(pid: number | undefined): number | null {
  try {
    // After the name in brackets, which may hold spaces, come the third field and those after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return null;
  }
}
