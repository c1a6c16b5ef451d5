/** The state of everything, in words. */
import { RUN_CODES } from '../../errors.ts';
import { SECOND } from '../../engine/clock.ts';
import { lastRunInWords } from '../../monitor/status/silence.ts';
import type { ServiceDay } from '../../store/reads/status.ts';
import type { Status } from '../../monitor/status/status.ts';
import type { Terminal } from './terminal.ts';
import { list } from './table.ts';
import { count, counted, duration, relative } from './words.ts';

type Line = readonly [name: string, value: string];

export function statusPage(status: Status, now: Date, page: Terminal): string[] {
  const lines: Line[] = [
    ...database(status),
    ...queue(status),
    ...scan(status, now, page),
    ...services(status, page),
    ...workers(status, now, page),
    ...runs(status),
    ...unreadResponses(status),
    ...setAside(status, now, page),
    ...silentSearches(status, now, page),
    ...named(
      'resting',
      status.resting.map((one) => {
        const why = one.state_reason === null ? '' : `: ${one.state_reason}`;
        return `${one.slug} is ${one.state}${why} (${relative(one.state_since, now, page)})`;
      }),
    ),
    ...named(
      'next',
      status.next.length === 0
        ? ['nothing is due']
        : status.next.map(({ local, search, next_due_at }) => {
            return `${local}  ${search}${next_due_at < now ? ' (overdue)' : ''}`;
          }),
    ),
  ];
  return list(lines, page);
}

function database({ database: { kind, version, name } }: Status): Line[] {
  return [['database', `PostgreSQL ${version}, ${kind === 'embedded' ? 'embedded' : 'yours'}: ${name}`]];
}

function queue({ queue: { kind, depth } }: Status): Line[] {
  const where = `BullMQ on ${kind === 'redis' ? 'Redis' : 'Postgres'}`;
  if (depth === null) return [['queue', `${where}, NOT REACHABLE; runs wait in the database`]];
  const parts = Object.entries(depth)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`);
  return [['queue', `${where}, ${parts.length === 0 ? 'empty' : parts.join(', ')}`]];
}

function scan({ scan: { scanned_at, late } }: Status, now: Date, page: Terminal): Line[] {
  const found = `last ran ${relative(scanned_at, now, page)}`;
  return [
    ['scan', late ? `LATE: ${found}, so nothing that is due runs. Start a worker: strandline up` : found],
  ];
}

/** Those of runs in progress are no news. */
function unreadResponses({ unread_responses: unread }: Status): Line[] {
  const { late, oldest_seconds, oldest_run_id, spooled } = unread;
  const lines: string[] = [];
  if (late > 0 && oldest_seconds !== null && oldest_run_id !== null)
    lines.push(
      `${counted(late, 'paid response')} not parsed, the oldest for ${duration(oldest_seconds * SECOND)}; parse it: strandline runs replay ${oldest_run_id}`,
    );
  if (spooled > 0)
    lines.push(
      `${counted(spooled, 'paid response')} on the disk of a worker, to be stored when Postgres allows it`,
    );
  return named('unread', lines);
}

function setAside({ set_aside: aside }: Status, now: Date, page: Terminal): Line[] {
  const shown = aside.slice(0, MAX_SILENT).map(({ search, run_id, at, attempts, code, retry_at }) => {
    const until = `trends are derived up to ${relative(at, now, page)}`;
    return `${search}: ${until}; run ${run_id} failed ${counted(attempts, 'time')} (${code}), tried again ${relative(retry_at, now, page)}`;
  });
  return named('derivation', shown);
}

function silentSearches({ silent: { total, searches } }: Status, now: Date, page: Terminal): Line[] {
  const shown = searches.slice(0, MAX_SILENT);
  return named('silent', [
    ...shown.map((search) => {
      const { slug, since, run_id } = search;
      const more = run_id === null ? `search show ${slug}` : `runs show ${run_id}`;
      return `${slug}: no successful run for ${duration(now.getTime() - since.getTime())}; ${lastRunInWords(search)}; see: strandline ${more}`;
    }),
    ...(total > shown.length
      ? [`and ${count(total - shown.length, page)} more: strandline status --json`]
      : []),
  ]);
}

/** The most silent searches that are named here; the JSON has more. */
const MAX_SILENT = 10;

function services(status: Status, page: Terminal): Line[] {
  if (status.services.length === 0) return [['services', 'none yet: the first search brings its own']];
  return named(
    'services',
    status.services.flatMap((service) => {
      const states = Object.entries(service.searches).map(([state, n]) =>
        counted(n, `${state} search`, `${state} searches`),
      );
      const { kind, name, calls_today, calls_per_day, missing } = service;
      const limit = calls_per_day === null ? '' : ` of ${count(calls_per_day, page)}`;
      const facts = [
        states.length === 0 ? 'no searches' : states.join(', '),
        `${count(calls_today, page)}${limit} ${calls_today === 1 && limit === '' ? 'call' : 'calls'} today`,
        costOf(service),
      ];
      return [
        `${name}${kind === name ? '' : ` (${kind})`}: ${facts.join(', ')}`,
        ...(missing === null ? [] : [`${name} CANNOT RUN: ${missing}`]),
      ];
    }),
  );
}

/** What was not told is not nothing: a sum says how many calls it leaves out. */
function costOf({ kind, calls_today, cost_usd_today, calls_without_cost_today: silent }: ServiceDay): string {
  if (kind === 'sandbox') return 'which cost nothing';
  if (cost_usd_today === null) return calls_today === 0 ? 'no cost' : 'cost not told';
  const left = silent === 0 ? '' : ` (${counted(silent, 'call')} named no cost)`;
  return `cost ${Number(cost_usd_today.toFixed(4))} USD${left}`;
}

function workers(status: Status, now: Date, page: Terminal): Line[] {
  const none = 'No worker is running: schedules are on hold. Start one: strandline up';
  return named('workers', [
    ...(status.workers.some(({ silent }) => !silent) ? [] : [none]),
    ...status.workers.map(({ name, version, concurrency, skew_ms, seen_at, silent }) => {
      if (silent) {
        const since = duration(now.getTime() - seen_at.getTime());
        return `${name} ${version}, no heartbeat for ${since}: probably ended`;
      }
      const facts = [`${name} ${version}`, `${counted(concurrency, 'run')} at once`, ...skewWords(skew_ms)];
      return `${facts.join(', ')}, seen ${relative(seen_at, now, page)}`;
    }),
  ]);
}

/** Less than a second is what any two clocks differ by. */
function skewWords(ms: number): string[] {
  if (Math.abs(ms) < SECOND) return [];
  return [`${(Math.abs(ms) / SECOND).toFixed(1)} s ${ms < 0 ? 'behind' : 'ahead of'} the database's clock`];
}

function runs({ runs_24h }: Status): Line[] {
  if (runs_24h.length === 0) return [['last 24 h', 'no runs']];
  return named(
    'last 24 h',
    runs_24h.map(({ status, code, reason, runs: n }) => {
      const why = code === null ? (reason ?? '') : `${code}, ${RUN_CODES[code]}`;
      return `${counted(n, 'run')} ${status}${why === '' ? '' : `: ${why}`}`;
    }),
  );
}

/** The first line bears the name, the others stand below it. */
function named(name: string, values: readonly string[]): Line[] {
  return values.map((value, i) => [i === 0 ? name : '', value]);
}
