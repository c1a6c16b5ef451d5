/** `doctor`: runs every check in turn. Makes no paid call, and changes nothing but the queue, with `--reset-queue`. */

import type { Program } from '../app/program.ts';
import { assertSources } from '../app/source-variables.ts';
import type { Config } from '../config/config.ts';
import { InvalidInput, Refused } from '../model/errors.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import {
  advisoryCheck,
  type Check,
  type CheckState,
  describeCause,
  failedCheck,
  passedCheck,
  unknownCheck,
} from '../monitor/status/check.ts';
import { judgeStatus } from '../monitor/status/status-checks.ts';
import { readStatusFacts } from '../monitor/status/status-facts.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import { checkMasterKey } from './master-key-check.ts';
import { checkModel, checkSources } from './search-checks.ts';
import {
  checkClock,
  checkDataDir,
  checkExternalDatabase,
  checkHosted,
  checkMailServer,
  checkNode,
  checkPostgres,
  checkQueueServer,
  checkSandbox,
  checkSqlReader,
  failSchemaCheck,
} from './system-checks.ts';
import { VERSION } from '../config/version.ts';
import type { RunningServer } from './running-server.ts';
import { findOwnServer } from './running-server.ts';
import { listIneffective } from './server-settings.ts';
import type { TerminalPage } from './terminal-io.ts';
import { oneLine, wrapText } from './terminal-text.ts';
import { formatDayAndMinute } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerDoctor(command: Command, cli: Cli): void {
  command
    .option(
      '--reset-queue',
      'first empty the queue and create it again; nothing is lost, because runs wait in the database',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nMakes no paid calls: it opens a connection to the hosted service, the model and the mail server, and queries public sources once.\n',
    )
    .action(async (options: { json?: boolean; resetQueue?: boolean }) => {
      const configuration = await checkConfig(cli);
      const config = configuration.value;
      const checks = [checkNode(process.versions.node), configuration.check];
      if (config !== undefined && options.resetQueue === true)
        checks.push(...(await resetQueue(cli, config)));
      if (config !== undefined) checks.push(...(await runChecks(cli, config)));
      await cli.show(options.json, checks.map(describeCheck), () =>
        checks.flatMap((check) => renderCheck(check, cli)),
      );
      if (checks.some(({ state }) => state === 'failed'))
        cli.exitCode = config === undefined ? EXIT_USAGE : 1;
    });
}

async function resetQueue(cli: Cli, config: Config): Promise<Check[]> {
  const { resetQueues } = await import('../app/reset-queues.ts');
  try {
    const places = await resetQueues(config, cli.log());
    return places.map((place) => passedCheck('queue reset', `${place}; workers enqueue waiting runs again`));
  } catch (error) {
    if (error instanceof SchemaMismatch) return [{ ...failSchemaCheck(error), name: 'queue reset' }];
    return [failedCheck('queue reset', describeCause(error), 'the queue is as it was, or empty; try again')];
  }
}

/** `ok`: null for what needs attention or could not be checked. */
function describeCheck({ name, state, facts, advice }: Check) {
  const ok = state === 'ok' ? true : state === 'failed' ? false : null;
  return { check: name, ok, found: facts, advice, state };
}

/**
 * Checks that depend on one that failed are unknown. Beside a server that uses other variables, what it calls is not called from
 * here: another service, or another key, would be checked.
 */
async function runChecks(cli: Cli, value: Config): Promise<Check[]> {
  const server = await checkServer(cli);
  const ineffective = await listIneffective(cli);
  const calls = server.calls && ineffective.length === 0;
  const checks: Check[] = [...server.checks];
  if (calls)
    checks.push(
      ...(await checkHosted(value)),
      ...(await checkModel(value)),
      ...(await checkMailServer(value)),
    );
  if (ineffective.length > 0)
    checks.push(
      advisoryCheck(
        'this shell',
        `the running server uses other values of ${ineffective.join(', ')}`,
        'to compare them: strandline config show',
      ),
    );
  checks.push(...(await checkQueueServer(value)));
  if (value.databaseUrl === undefined) {
    const dataDir = await checkDataDir(value.dataDir);
    checks.push(dataDir);
    if (dataDir.state === 'failed') return [...checks, skipChecks()];
  } else {
    const database = await checkExternalDatabase(value.databaseUrl, cli.log());
    checks.push(database);
    if (database.state === 'failed') return [...checks, skipChecks()];
  }
  try {
    return [
      ...checks,
      ...(await cli.withProgram((program) =>
        checkWithDatabase(program, (at) => formatDayAndMinute(at, cli.page), calls),
      )),
    ];
  } catch (error) {
    if (error instanceof SchemaMismatch) return [...checks, failSchemaCheck(error), skipChecks()];
    const advice = 'see docs/reference/databases.md, or set DATABASE_URL to your own Postgres';
    return [...checks, failedCheck('database', describeCause(error), advice), skipChecks()];
  }
}

const skipChecks = () =>
  unknownCheck(
    'queue, workers and searches',
    'not checked, because the database cannot be used',
    'fix the database, then repeat',
  );

async function checkConfig(cli: Cli): Promise<{ check: Check; value: Config | undefined }> {
  try {
    await assertSources(cli.config());
    return { check: passedCheck('configuration', 'all variables are valid'), value: cli.config() };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const check = failedCheck(
      'configuration',
      error.message,
      'fix these variables; see: strandline config show',
    );
    return { check, value: undefined };
  }
}

/** The server that owns the data directory. `calls`: services may be called from here as it calls them. */
async function checkServer(cli: Cli): Promise<{ checks: Check[]; calls: boolean }> {
  let server: RunningServer | undefined;
  try {
    server = await findOwnServer(cli.io.env);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { checks: [failedCheck('server', error.message, RESTART)], calls: false };
  }
  if (server === undefined) return { checks: [], calls: true };
  const { pid, version, dashboard } = server;
  if (version !== VERSION) {
    const facts = `process ${pid} is strandline ${version}, but this command is ${VERSION}`;
    return { checks: [failedCheck('server', facts, RESTART)], calls: false };
  }
  const where = dashboard === null ? '' : `, dashboard at ${dashboard}`;
  return { checks: [passedCheck('server', `process ${pid}${where}`)], calls: true };
}

const RESTART = 'restart it: strandline up';

/** @param calls whether sources may be called */
export async function checkWithDatabase(
  program: Program,
  formatAt: (at: Date) => string,
  calls = true,
): Promise<Check[]> {
  const { ctx } = program;
  return [
    await checkPostgres(program),
    await checkClock(program),
    await checkSqlReader(program),
    ...(await checkMasterKey(program)),
    ...(await checkSandbox(program)),
    ...(calls
      ? checkSources(await program.services.probe({ again: true }))
      : [
          unknownCheck(
            'sources',
            'not queried, because the running server uses other values than this shell',
            null,
          ),
        ]),
    ...judgeStatus(await readStatusFacts(ctx), formatAt),
  ];
}

const MARKS: Readonly<Record<CheckState, (page: TerminalPage) => string>> = {
  ok: ({ colors, good }) => colors.green(good),
  failed: ({ colors, bad }) => colors.red(bad),
  attention: ({ colors, unknown, good }) => colors.yellow(unknown.padEnd(good.length)),
  unknown: ({ colors, good }) => colors.yellow('?'.padEnd(good.length)),
};

function renderCheck({ name, state, facts, advice }: Check, { page }: Cli): string[] {
  const { good, dim } = page;
  const room = page.width - good.length - 1;
  const indent = (lines: readonly string[], first: string) =>
    lines.map((line, i) => `${i === 0 && first !== '' ? first : ' '.repeat(good.length + 1)}${line}`);
  return [
    ...indent(wrapText(`${name}: ${oneLine(facts)}`, room), `${MARKS[state](page)} `),
    ...(advice === null ? [] : indent(page.wrapHint(oneLine(advice), room).map(dim), '')),
  ];
}
