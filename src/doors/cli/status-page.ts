/** The state of everything, in words. */
import { RUN_CODES } from '../../errors.ts';
import type { Status } from './status.ts';
import type { Terminal } from './terminal.ts';
import { list } from './table.ts';
import { count, counted, dollars, relative } from './words.ts';

type Line = readonly [name: string, value: string];

export function statusPage(status: Status, now: Date, page: Terminal): string[] {
  const lines: Line[] = [
    ...database(status),
    ...queue(status),
    ...services(status, page),
    ...workers(status, now, page),
    ...runs(status),
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

function services(status: Status, page: Terminal): Line[] {
  if (status.services.length === 0) return [['services', 'none yet: the first search brings its own']];
  return named(
    'services',
    status.services.map((service) => {
      const states = Object.entries(service.searches).map(([state, n]) => `${n} ${state}`);
      const searches = states.length === 0 ? 'no searches' : `searches: ${states.join(', ')}`;
      const limit = service.calls_per_day === null ? '' : ` of ${count(service.calls_per_day, page)}`;
      const cost = service.cost_usd_today === null ? '' : `, ${dollars(service.cost_usd_today, page)}`;
      const kind = service.kind === service.name ? '' : ` (${service.kind})`;
      return `${service.name}${kind}: ${searches}; calls today: ${count(service.calls_today, page)}${limit}${cost}`;
    }),
  );
}

function workers(status: Status, now: Date, page: Terminal): Line[] {
  if (status.workers.length === 0)
    return [['workers', 'none: nothing runs by itself; start one: strandline up']];
  return named(
    'workers',
    status.workers.map(({ name, version, concurrency, skew_ms, seen_at }) => {
      return `${name} ${version}, ${counted(concurrency, 'run')} at once, clock off by ${skew_ms} ms, seen ${relative(seen_at, now, page)}`;
    }),
  );
}

function runs({ runs_24h }: Status): Line[] {
  if (runs_24h.length === 0) return [['last 24 h', 'no runs']];
  return named(
    'last 24 h',
    runs_24h.map(({ status, code, runs: n }) => {
      const why = code === null ? '' : `: ${code}, ${RUN_CODES[code]}`;
      return `${counted(n, 'run')} ${status}${why}`;
    }),
  );
}

/** The first line bears the name, the others stand below it. */
function named(name: string, values: readonly string[]): Line[] {
  return values.map((value, i) => [i === 0 ? name : '', value]);
}
