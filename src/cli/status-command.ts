/** `status`: the state of database, queue, services, workers and runs. */

import type { TrendState } from '../model/enumerations.ts';
import { RUN_CODES } from '../model/errors.ts';
import { STATUS_NAMES } from '../monitor/status/status-names.ts';
import type { Check } from '../monitor/status/check.ts';
import type { Status as ReadStatus } from '../monitor/status/system-status.ts';
import { formatSlot } from '../monitor/schedule/schedule-text.ts';
import { SEARCH_STATUSES } from '../model/closed-lists.ts';
import { ask, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { describeUnresponsiveTools } from './reply-notices.ts';
import { listIneffective } from './server-settings.ts';
import type { Terminal } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import {
  formatCost,
  formatCount,
  formatDayAndMinute,
  formatQuantity,
  formatRelative,
} from './value-formatting.ts';
import type { Command } from 'commander';

type Status = Reply<
  Omit<ReadStatus, 'services'> & { services: (ReadStatus['services'][number] & { free: boolean })[] }
>;
type ServiceStatus = Status['services'][number];

export function registerStatus(command: Command, cli: Cli): void {
  cli.callers.add(command.option('--json', 'print JSON'));
  command.action(async (options: { json?: boolean }) => {
    await cli.withApi(
      async (api) => {
        const status: Status = await ask(api, 'getStatus');
        await cli.show(options.json, status, () => renderStatus(status, api.now(), cli.page));
      },
      { runsIn: 'server' },
    );
    const ineffective = await listIneffective(cli);
    if (ineffective.length > 0)
      cli.say(
        `Set in this shell, but the running server uses other values: ${ineffective.join(', ')}. See: strandline config show`,
      );
  });
}

function describePauseOfAll({ pause_of_all: pause }: Status, page: Terminal): string[] {
  if (pause === null) return [];
  const end = pause.until === null ? '' : ` until ${formatDayAndMinute(pause.until, page)}`;
  return [
    `${formatQuantity(pause.searches, 'search', 'searches')} with all searches${end}; to continue now: strandline resume`,
  ];
}

type StatusLine = readonly [name: string, value: string];

function renderStatus(status: Status, now: Date, page: Terminal): string[] {
  const lines: StatusLine[] = [
    ...renderDatabase(status),
    ...renderChecks(
      status.checks.filter(({ name }) => PARTS.has(name)),
      page,
    ),
    ...renderServices(status, page),
    ...renderModel(status, page),
    ...renderRuns(status),
    ...renderChecks(
      status.checks.filter(({ name }) => !PARTS.has(name)),
      page,
    ),
    ...labelLines('trends', describeTrendStates(status)),
    ...labelLines('tools', describeUnresponsiveTools(status.silent_tools, page)),
    ...labelLines('searches', describeSearchStatuses(status)),
    ...labelLines('paused', describePauseOfAll(status, page)),
    ...labelLines(
      'not active',
      // The others are among the checks.
      status.resting
        .filter(({ state, pauses }) => state === 'paused' && pauses.join() !== 'all')
        .map((search) => {
          const why = search.state_reason === null ? '' : `: ${search.state_reason}`;
          const { paused_until: end } = search;
          const until = end === null ? '' : ` until ${formatDayAndMinute(end, page)}`;
          const resume = search.pauses.includes('topic')
            ? `topic resume ${search.topic}`
            : `search resume ${search.slug}`;
          return `${search.name} is ${search.state}${until}${why} (${formatRelative(search.state_since, now, page)}); strandline ${resume}`;
        }),
    ),
    ...labelLines(
      'next',
      status.next.length === 0
        ? ['no searches are scheduled']
        : status.next.map(({ local, name, next_due_at }) => {
            const at = page.live ? formatSlot(next_due_at, page.zone) : local;
            return `${at}  ${name}${next_due_at < now ? ' (overdue)' : ''}`;
          }),
    ),
  ];
  const room = page.width - LABEL_WIDTH;
  return renderList(
    lines.flatMap(([name, value]) => labelLines(name, page.wrapHint(value, room))),
    page,
  );
}

/** The longest label and the gap behind it. */
const LABEL_WIDTH = 12;

function renderDatabase({ database: { kind, version, name } }: Status): StatusLine[] {
  return [['database', `PostgreSQL ${version}, ${kind === 'embedded' ? 'embedded' : 'external'}: ${name}`]];
}

/** Checks that come first, whatever their state. */
const PARTS: ReadonlySet<string> = new Set(['queue', 'scan', 'workers']);

/** Advice belongs to what is not as it should be. */
function renderChecks(checks: readonly Check[], page: Terminal): StatusLine[] {
  return checks.map(({ name, facts, advice }, i) => [
    checks[i - 1]?.name === name ? '' : name,
    zoneTimes(advice === null ? facts : `${facts}; ${advice}`, page),
  ]);
}

/** Times in the words of a check are UTC. */
function zoneTimes(words: string, page: Terminal): string {
  return words.replaceAll(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\dZ)/g, (_, day: string, time: string) =>
    formatDayAndMinute(`${day}T${time}`, page),
  );
}

function renderServices(status: Status, page: Terminal): StatusLine[] {
  if (status.services.length === 0) return [['services', 'none yet; the first search adds one']];
  return labelLines(
    'services',
    status.services.map((service) => {
      const states = Object.entries(service.searches).map(([state, n]) =>
        formatQuantity(n, `${state} search`, `${state} searches`),
      );
      const { kind, name, calls_today, calls_per_day } = service;
      const limit = calls_per_day === null ? '' : ` of ${formatCount(calls_per_day, page)}`;
      const facts = [
        states.length === 0 ? 'no searches' : states.join(', '),
        `${formatCount(calls_today, page)}${limit} ${calls_today === 1 && limit === '' ? 'call' : 'calls'} today`,
        describeCost(service),
      ];
      return `${name}${kind === name ? '' : ` (${kind})`}: ${facts.join(', ')}`;
    }),
  );
}

/** An unreported cost is not zero: a sum says how many calls it omits. */
function describeCost({
  free,
  calls_today,
  cost_usd_today,
  calls_without_cost_today: uncosted,
}: ServiceStatus): string {
  if (free) return 'free';
  if (calls_today === 0) return 'no cost';
  const left =
    uncosted === 0 || cost_usd_today === null ? '' : ` (${formatQuantity(uncosted, 'call')} not reported)`;
  return `cost ${formatCost(cost_usd_today, { free: false })}${left}`;
}

/** Purposes that were asked for today, or `no calls today`; nothing without a model. */
function renderModel({ model_calls: purposes }: Status, page: Terminal): StatusLine[] {
  if (purposes.length === 0) return [];
  const asked = purposes.filter(({ calls }) => calls !== 0);
  if (asked.length === 0) return [['model', 'no calls today']];
  return labelLines(
    'model',
    asked.map(({ purpose, calls, most, failed, input_tokens: input, output_tokens: output }) => {
      const count = calls === null ? 'unknown' : formatCount(calls, page);
      const failures = failed === null || failed === 0 ? '' : `, ${formatCount(failed, page)} failed`;
      const tokens = input === null ? '' : `, ${formatQuantity(input + (output ?? 0), 'token')}`;
      return `${purpose}: ${count} of ${formatCount(most, page)} calls today${failures}${tokens}`;
    }),
  );
}

function renderRuns({ runs_24h }: Status): StatusLine[] {
  if (runs_24h.length === 0) return [['last 24 h', 'no runs']];
  return labelLines(
    'last 24 h',
    runs_24h.map(({ status, code, reason, runs: n }) => {
      const why = code === null ? (reason ?? '') : `${code}, ${RUN_CODES[code]}`;
      return `${formatQuantity(n, 'run')} ${status}${why === '' ? '' : `: ${why}`}`;
    }),
  );
}

const TREND_STATE_NAMES: Readonly<Record<Exclude<TrendState, 'normal'>, string>> = {
  rising: 'rising',
  falling: 'falling',
  new_level: 'at a new level',
  silent: 'silent (no posts)',
};

function describeTrendStates({ trend_states }: Status): string[] {
  const parts = Object.entries(TREND_STATE_NAMES).flatMap(([state, name]) => {
    const n = trend_states[state] ?? 0;
    return n === 0 ? [] : [`${formatQuantity(n, 'search', 'searches')} ${name}`];
  });
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** `2 OK, 1 failing`, the worst first. */
function describeSearchStatuses({ search_statuses }: Status): string[] {
  const parts = SEARCH_STATUSES.flatMap((status) =>
    search_statuses[status] === 0 ? [] : [`${search_statuses[status]} ${STATUS_NAMES[status]}`],
  );
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** Only the first line has the label. */
function labelLines(name: string, values: readonly string[]): StatusLine[] {
  return values.map((value, i) => [i === 0 ? name : '', value]);
}
