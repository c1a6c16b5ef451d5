/** `doctor`: runs every check in turn. Makes no paid call, and changes nothing but the queue, with `--reset-queue`. */

import type { Program } from '../app/program.ts';
import { assertSources } from '../app/source-variables.ts';
import type { Config } from '../config/config.ts';
import { InvalidInput } from '../model/errors.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import { advisoryCheck, type Check, describeCause, failedCheck, passedCheck } from './check-result.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import { checkMasterKey } from './master-key-check.ts';
import { checkModel, checkSearches, checkSources } from './search-checks.ts';
import {
  checkClock,
  checkDataDir,
  checkExternalDatabase,
  checkHosted,
  checkMailServer,
  checkNode,
  checkPostgres,
  checkQueue,
  checkQueueServer,
  checkReports,
  checkSandbox,
  checkSqlReader,
  failSchemaCheck,
} from './system-checks.ts';
import { diagnoseAtServer, listIneffective } from './shell-settings.ts';
import { oneLine, wrapText } from './terminal-text.ts';
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
      const { done, problem } =
        config === undefined ? { done: false, problem: null } : await diagnoseAtServer(cli);
      if (done) return;
      const checks = [checkNode(process.versions.node), configuration.check];
      if (config !== undefined && options.resetQueue === true)
        checks.push(...(await resetQueue(cli, config)));
      if (config !== undefined) checks.push(...(await runChecks(cli, config, problem)));
      await cli.show(options.json, checks, () => checks.flatMap((check) => renderCheck(check, cli)));
      if (checks.some(({ ok }) => ok === false)) cli.exitCode = config === undefined ? EXIT_USAGE : 1;
    });
}

async function resetQueue(cli: Cli, config: Config): Promise<Check[]> {
  const { resetQueues } = await import('../app/reset-queues.ts');
  try {
    const places = await resetQueues(config, cli.log());
    return places.map((place) => passedCheck('queue reset', `${place}; workers enqueue waiting runs again`));
  } catch (error) {
    if (error instanceof SchemaMismatch) return [{ ...failSchemaCheck(error), check: 'queue reset' }];
    return [failedCheck('queue reset', describeCause(error), 'the queue is as it was, or empty; try again')];
  }
}

/**
 * Skips checks that depend on one that failed.
 * @param problem why the running server could not be asked: then nothing is called from here
 */
async function runChecks(cli: Cli, value: Config, problem: string | null): Promise<Check[]> {
  const found: Check[] = [];
  if (problem === null)
    found.push(
      ...(await checkHosted(value)),
      ...(await checkModel(value)),
      ...(await checkMailServer(value)),
    );
  else found.push(failedCheck('server', problem, 'restart it: strandline up'));
  found.push(...(await checkShell(cli)), ...(await checkQueueServer(value)));
  if (value.databaseUrl === undefined) {
    const dataDir = await checkDataDir(value.dataDir);
    found.push(dataDir);
    if (dataDir.ok === false) return found;
  } else {
    const database = await checkExternalDatabase(value.databaseUrl, cli.log());
    found.push(database);
    if (database.ok === false) return found;
  }
  try {
    return [...found, ...(await cli.withProgram((program) => checkWithDatabase(program, problem === null)))];
  } catch (error) {
    if (error instanceof SchemaMismatch) return [...found, failSchemaCheck(error)];
    const advice = 'see docs/reference/databases.md, or set DATABASE_URL to your own Postgres';
    return [...found, failedCheck('database', describeCause(error), advice)];
  }
}

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

/** Whether variables of this shell have an effect. */
async function checkShell(cli: Cli): Promise<Check[]> {
  const ineffective = await listIneffective(cli);
  if (ineffective.length === 0) return [];
  const found = `the running server uses other values of ${ineffective.join(', ')}`;
  return [advisoryCheck('this shell', found, 'to compare them: strandline config show')];
}

/** @param calls whether sources may be called */
export async function checkWithDatabase(program: Program, calls = true): Promise<Check[]> {
  return [
    await checkPostgres(program),
    await checkClock(program),
    await checkQueue(program),
    await checkSqlReader(program),
    ...(await checkMasterKey(program)),
    ...(await checkSandbox(program)),
    await checkReports(program),
    ...(calls ? checkSources(await program.services.probe({ again: true })) : []),
    ...(await checkSearches(program)),
  ];
}

function renderCheck({ check, ok, found, advice }: Check, { page }: Cli): string[] {
  const { colors, good, bad, unknown, dim } = page;
  const mark = ok === null ? dim(unknown.padEnd(good.length)) : ok ? colors.green(good) : colors.red(bad);
  const room = page.width - good.length - 1;
  const indent = (lines: readonly string[], first: string) =>
    lines.map((line, i) => `${i === 0 && first !== '' ? first : ' '.repeat(good.length + 1)}${line}`);
  return [
    ...indent(wrapText(`${check}: ${oneLine(found)}`, room), `${mark} `),
    ...(advice === null ? [] : indent(page.wrapHint(oneLine(advice), room).map(dim), '')),
  ];
}
