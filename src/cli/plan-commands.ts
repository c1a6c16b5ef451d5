/** `plan`, `apply` and `describe`: what is watched, as a file. */
import { InvalidInput } from '../model/errors.ts';
import type { Applied } from '../monitor/watch-file/apply.ts';
import type { Absent, Plan } from '../monitor/watch-file/plan.ts';
import { askJson } from './api-requests.ts';
import type { Api } from './api-client.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import { type GivenFiles, readGiven, sayingProblems } from './given-files.ts';
import { describeCalls, explainPlan, renderPlan, summarizePlan } from './plan-rendering.ts';
import { oneLine } from './terminal-text.ts';
import { type Command, Option } from 'commander';

/** A plan that would change something: neither success nor failure. */
const EXIT_DIFFERS = 3;

type FileOptions = GivenFiles & { prune?: boolean; release?: boolean; json?: boolean };
type ApplyOptions = FileOptions & { yes?: boolean; fingerprint?: string };

export function registerPlan(command: Command, cli: Cli): void {
  addFileOptions(command)
    .description(
      'Shows what applying a file would do, and changes nothing. Exit codes: 0 nothing to do, 3 it differs. See docs/how-to/files.md.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline plan -f watch.yaml\n  $ strandline plan --topics topics.txt\n',
    )
    .action((options: FileOptions) => {
      const given = readGiven(cli, options);
      if (given === null) return undefined;
      return cli.withApi(
        async (api) => {
          const members = { file: given.file, absent: chooseAbsent(options) };
          const plan = await sayingProblems(cli, given, () => askPlan(api, members));
          if (plan === null) return;
          await showPlan(cli, plan, options.json);
          if (plan.differs) cli.exitCode = EXIT_DIFFERS;
          if (plan.differs && options.json !== true)
            cli.say(`Nothing was changed. To apply it: strandline apply${writeOptions(options)}`);
        },
        { runsIn: 'server' },
      );
    });
  cli.callers.add(command);
}

const askPlan = async (api: Api, members: { file: unknown; absent: Absent }) =>
  (await askJson(api, 'planFile', members)) as Plan; // as that operation replies

export function registerApply(command: Command, cli: Cli): void {
  addFileOptions(command)
    .option('--fingerprint <plan>', 'only if the plan is the one that has this fingerprint (plan --json)')
    .option('--yes', 'do not ask before most of what the name owns is removed')
    .description(
      'Applies a file: creates and changes what it describes. Stops at the first failure; the same command continues. See docs/how-to/files.md.',
    )
    .addHelpText('after', '\nExample:\n  $ strandline apply -f watch.yaml\n')
    .action((options: ApplyOptions) => {
      const given = readGiven(cli, options);
      if (given === null) return undefined;
      return cli.withApi(
        async (api) => {
          const members = { file: given.file, absent: chooseAbsent(options) };
          const plan = await sayingProblems(cli, given, () => askPlan(api, members));
          if (plan === null) return;
          if (options.json !== true) await showPlan(cli, plan, false);
          if (plan.removes_most && !(await mayRemove(cli, plan, options.yes))) return;
          const { fingerprint = plan.fingerprint } = options;
          const applied = await sayingProblems(cli, given, async () => {
            const reply = await askJson(api, 'applyFile', {
              ...members,
              fingerprint,
              remove_most: plan.removes_most,
            });
            return reply as Applied; // as that operation replies
          });
          if (applied === null) return;
          await cli.show(options.json, applied, () => applied.secrets.map(({ secret }) => secret));
          sayApplied(cli, applied);
          if (applied.failed !== null) cli.exitCode = 1;
          else if (plan.steps.some(({ action, kind }) => action === 'create' && kind === 'search'))
            cli.say(
              api.here === undefined || (await api.here.hasWorkers())
                ? 'First runs start now; see: strandline runs list'
                : 'No worker is running: searches run once there is one. Start it: strandline up',
            );
        },
        { runsIn: 'server' },
      );
    });
  cli.callers.add(command);
}

export function registerDescribe(command: Command, cli: Cli): void {
  command
    .description('Prints what is watched as a file for plan and apply. Secrets are "keep".')
    .argument('[topic]', 'topic slug: only this topic, with rules about it and their channels')
    .option('--all', 'everything')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline describe --all > watch.yaml\n')
    .action((topic: string | undefined, { all, json }: { all?: boolean; json?: boolean }) => {
      if ((topic === undefined) !== (all === true))
        throw new InvalidInput([{ path: 'topic', given: topic, expected: 'a topic, or --all' }]);
      return cli.withApi(async (api) => {
        const reply = await askJson(api, 'describeFile', { topic });
        const { file, left_out } = reply as { file: Record<string, unknown>; left_out: string[] }; // as it replies
        if (json === true) return cli.show(json, file, () => []);
        const { writeYaml } = await import('../monitor/watch-file/write-yaml.ts');
        const text = await writeYaml(file, left_out);
        await cli.show(json, file, () => [text.trimEnd()]);
      });
    });
  cli.callers.add(command);
}

function addFileOptions(command: Command): Command {
  return command
    .option('-f, --file <file>', 'file in YAML or JSON; - for the input')
    .option('--topics <list>', 'list of topics, too: one a line, or CSV with a column text')
    .option('--name <name>', 'name that owns what the file creates (default: the name in the file)')
    .addOption(
      new Option(
        '--prune',
        'remove what the name owns and the file does not have; what it found is kept',
      ).conflicts('release'),
    )
    .option('--release', 'keep what the name owns and the file does not have, without an owner')
    .option('--json', 'print JSON');
}

const chooseAbsent = ({ prune, release }: FileOptions): Absent => {
  if (prune === true) return 'remove';
  return release === true ? 'release' : 'keep';
};

/** The options of the same command. */
function writeOptions({ file, topics, name, prune, release }: FileOptions): string {
  const quote = (text: string) => (/^[\w./-]+$/.test(text) ? text : `"${text}"`);
  return [
    ...(file === undefined ? [] : ['-f', quote(file)]),
    ...(topics === undefined ? [] : ['--topics', quote(topics)]),
    ...(name === undefined ? [] : ['--name', name]),
    ...(prune === true ? ['--prune'] : []),
    ...(release === true ? ['--release'] : []),
  ]
    .map((word) => ` ${word}`)
    .join('');
}

async function showPlan(cli: Cli, plan: Plan, json: boolean | undefined): Promise<void> {
  await cli.show(json, plan, () => renderPlan(plan, cli.page));
  if (json === true) return;
  // Apart from the list, unless that goes elsewhere.
  if (cli.page.live && plan.differs) cli.say('');
  cli.say(cli.page.bold(`${plan.name === null ? '' : `${plan.name}: `}${summarizePlan(plan)}`));
  for (const line of [...describeCalls(plan), ...explainPlan(plan)]) cli.say(line);
}

async function mayRemove(cli: Cli, plan: Plan, yes: boolean | undefined): Promise<boolean> {
  const { confirm } = await import('./questions.ts');
  const count = plan.steps.filter(({ action }) => action === 'remove').length;
  const answer = await confirm(cli, `Remove ${count}, more than half of what ${plan.name} owns?`, yes);
  if (answer === true) return true;
  cli.say(
    answer === null
      ? 'Nothing applied: more than half of what the name owns would be removed. To do it, add --yes.'
      : 'Nothing applied.',
  );
  cli.exitCode = EXIT_USAGE;
  return false;
}

function sayApplied(cli: Cli, { applied, failed, left, secrets }: Applied): void {
  for (const { channel } of secrets)
    cli.say(`Signing secret for ${channel}, shown once. Use it to verify messages.`);
  if (failed === null) {
    if (applied.length > 0) cli.say(`Applied ${applied.length} of ${applied.length}.`);
    return;
  }
  const { kind, key } = failed.step;
  cli.say(`error: ${kind} ${key}: ${oneLine(failed.detail)}`);
  const all = applied.length + 1 + left.length;
  cli.say(
    `Applied ${applied.length} of ${all}, then stopped. What was applied stays; after a correction, the same command continues.`,
  );
}
