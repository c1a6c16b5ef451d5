/** Mounts operations as commands: options, help, tables, and `--json`, which prints the reply as the API sends it. */
import { type Command, Option } from 'commander';
import { InvalidInput, type Problem } from '../model/errors.ts';
import { isPlain, toJson } from '../lib/json-values.ts';
import { LOCAL_VISITOR } from '../monitor/access/visitor-scopes.ts';
import { decodeInput } from '../monitor/http/request-problems.ts';
import { type AnyOperation, type Call, listMembers } from '../monitor/operation.ts';
import type { Cli } from './command-context.ts';
import { describeMember, lowerFirst, type Member, readMember } from './operation-members.ts';
import { type ListOptions, openPage, type Shown } from './list-pages.ts';
import { createInvalidOption, limitOption, MAX_LIMIT } from './option-values.ts';
import { type OperationView, renderRows, type Terms } from './reply-view.ts';

/** Adds a command for each operation of a group: below its command, or as that command itself. */
export function addOperations<Row>(
  group: Command,
  cli: Cli,
  operations: readonly AnyOperation[],
  view: OperationView<Row>,
): void {
  for (const operation of operations)
    if (isOfGroup(operation, group.name())) addOperation(group, cli, operation, view, operations);
}

/** `token create` of the group `token`, and `pause` of the group of that name. */
function isOfGroup({ command = '' }: AnyOperation, group: string): boolean {
  const words = command.split(' ');
  return command === group || words.at(-2) === group;
}

function addOperation<Row>(
  group: Command,
  cli: Cli,
  operation: AnyOperation,
  view: OperationView<Row>,
  operations: readonly AnyOperation[],
): void {
  const { does, example, input, list, runsIn } = operation;
  const name = operation.command?.split(' ').at(-1) ?? '';
  // A group that is a command itself, such as `digest`.
  const command = name === group.name() ? group : group.command(name).description(lowerFirst(does));
  const members = listMembers(input).map((member) => describeMember(input, member));
  for (const { argument, help, required } of members)
    if (argument !== undefined) command.argument(required ? `<${argument}>` : `[${argument}]`, help);
  const options = new Map<Member, Option>();
  for (const member of members)
    if (member.argument === undefined || member.file) {
      const { argument, flag, help } = member;
      const option = new Option(
        flag,
        argument === undefined ? help : `file that contains the ${argument}, which others cannot see then`,
      );
      options.set(member, option);
      command.addOption(option);
    }
  const shortcuts = Object.entries(operation.shortcuts ?? {}).map(([flag, { help, sets }]) => {
    const replaced = members.filter(({ name: member }) => member in sets);
    const option = new Option(flag, help).conflicts(
      replaced.flatMap((member) => options.get(member)?.attributeName() ?? []),
    );
    command.addOption(option);
    return { name: option.attributeName(), sets };
  });
  if (list?.shown !== undefined)
    command
      .addOption(limitOption(list.shown))
      .option('--after <place>', 'the next page, as the previous one says');
  const alternative = view.instead?.[operation.id];
  alternative?.declare(command);
  command.option('--json', 'print JSON');
  if (example !== undefined)
    command.addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}\n`);

  command.action(async () => {
    if ((await alternative?.act(command)) === true) return;
    const { json, ...asked } = {
      ...(group === command ? {} : group.opts<CommonOptions>()),
      ...command.opts<CommonOptions>(),
    };
    const texts = new Map(
      members.flatMap((member): [Member, unknown][] => {
        const text = readGiven(cli, command, member, options.get(member));
        return text === undefined ? [] : [[member, text]];
      }),
    );
    const work: Parameters<Cli['withServer']>[0] = async ({ ctx }, stopping) => {
      const typed = Object.fromEntries([...texts].map(([{ name: member }, text]) => [member, text]));
      const call: Omit<Call, 'page'> = {
        ctx,
        visitor: LOCAL_VISITOR,
        stopping,
        findPublicBase: async () => (await import('./running-server.ts')).findPublicBase(cli),
      };
      const now = ctx.clock.now();
      const { values, problems } = readMembers(texts, { now, zone: cli.page.zone });
      for (const { name: flag, sets } of shortcuts)
        if (readOption(command, flag) === true) Object.assign(values, sets);
      const shown = await namingOptions(members, options, () =>
        invoke(operation, call, { values, problems }, { ...asked, typed }),
      );
      await print(cli, operation, view, shown, json, {
        page: cli.page,
        now,
        typed,
        beside: shown.beside as Readonly<Record<string, unknown>>, // members of a reply
        ask: async (id, about = {}) => {
          const wanted = operations.find((each) => each.id === id);
          if (wanted === undefined) throw new Error(`no operation ${id}`);
          const { list: whole } = wanted;
          const all = whole === undefined ? wanted : { ...wanted, list: { ...whole, shown: MAX_LIMIT } };
          return (await invoke(all, call, { values: about, problems: [] }, { typed: {} })).reply;
        },
      });
    };
    await (runsIn === 'server' ? cli.withServer(work) : cli.withProgram(work));
  });
}

type CommonOptions = ListOptions & { json?: boolean };

/** If a group such as `digest` and its command have an option of the same name, Commander gives the option to the group, even if it was typed after the command. */
function readOption(command: Command, name: string): unknown {
  const own: unknown = command.getOptionValue(name);
  return own === undefined ? command.parent?.getOptionValue(name) : own;
}

/** What was typed for a member, or is in the file that was named. @throws InvalidInput if it is given twice */
function readGiven(
  cli: Cli,
  command: Command,
  { argument, file }: Member,
  option: Option | undefined,
): unknown {
  const at = command.registeredArguments.findIndex((each) => each.name() === argument);
  const typed: unknown = command.processedArgs[at];
  const optionValue: unknown = option === undefined ? undefined : readOption(command, option.attributeName());
  if (option === undefined || optionValue === undefined) return typed;
  // Several words without quotes.
  if (Array.isArray(optionValue)) return optionValue.join(' ');
  if (!file || typeof optionValue !== 'string') return optionValue;
  if (typed !== undefined)
    throw createInvalidOption(option.name(), optionValue, `nothing: the ${argument} is given already`);
  return cli.readFile(optionValue, option.long ?? '').trim();
}

/** Runs an operation on input as the API takes it. @returns its reply, as JSON @throws InvalidInput with all problems */
async function invoke(
  operation: AnyOperation,
  call: Omit<Call, 'page'>,
  { values, problems }: ReadMembers,
  { typed, ...asked }: ListOptions & { typed: object },
): Promise<Shown> {
  let input: unknown;
  try {
    input = decodeInput(operation.input, values);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const others = error.problems.filter(({ path }) =>
      problems.every((known) => known.path !== readName(path)),
    );
    throw new InvalidInput([...problems, ...others]);
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  const { page, show } = openPage(operation, asked, typed);
  const made = await operation.run({ ...call, page }, input as never); // as its schema returned it
  return JSON.parse(toJson(show(made))) as Shown; // JSON of it
}

type ReadMembers = { values: Record<string, unknown>; problems: Problem[] };

function readMembers(texts: ReadonlyMap<Member, unknown>, typed: { now: Date; zone: string }): ReadMembers {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [member, text] of texts) {
    const value = readMember(member, text, typed);
    if (value === undefined) problems.push({ path: member.name, given: text, expected: member.expected });
    else values[member.name] = value;
  }
  return { values, problems };
}

/** The name of a member in the path of a problem: `scopes` for `scopes[1]`. */
function readName(path: string): string {
  return path.replace(/[.[].*$/s, '');
}

/** Problems name members by their options, as a person typed them. */
async function namingOptions<T>(
  members: readonly Member[],
  options: ReadonlyMap<Member, Option>,
  act: () => Promise<T>,
): Promise<T> {
  const nameMember = (member: Member) => member.argument ?? options.get(member)?.name() ?? member.name;
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const rename = (path: string) => {
      const name = readName(path);
      // None of several objects fits.
      if (name === '') return listAlternatives(members).map(nameMember).join(' or ') || 'options';
      const member = members.find((each) => each.name === name);
      return `${member === undefined ? name : nameMember(member)}${path.slice(name.length)}`;
    };
    throw new InvalidInput(error.problems.map((problem) => ({ ...problem, path: rename(problem.path) })));
  }
}

/** What one of several objects needs and others do not: where these are many, only those that have a place of their own. */
function listAlternatives(members: readonly Member[]): readonly Member[] {
  const others = members.filter(({ required }) => !required);
  return others.length <= MAX_ALTERNATIVES ? others : others.filter(({ argument }) => argument !== undefined);
}

const MAX_ALTERNATIVES = 3;

const listColumns = <Row>(columns: OperationView<Row>['columns'], terms: Terms) =>
  typeof columns === 'function' ? columns(terms) : columns;

async function print<Row>(
  cli: Cli,
  { id, list, once }: AnyOperation,
  { columns, url, none, replies = {} }: OperationView<Row>,
  { reply: received, next }: Shown,
  json: boolean | undefined,
  terms: Terms,
): Promise<void> {
  const { lines, says, fails, complete } = replies[id] ?? {};
  const row = (await complete?.(received as Row, terms)) ?? (received as Row); // or what the view of this operation takes
  const render = () => {
    if (lines !== undefined) return lines(row, terms);
    if (list !== undefined) return renderRows(received as Row[], listColumns(columns, terms), terms, url); // of a list
    const secret = once !== undefined && isPlain(received) ? received[once] : undefined;
    return typeof secret === 'string' ? [secret] : [];
  };
  const shown = json === true ? [] : await render();
  await cli.show(json, row, () => shown);
  if (Array.isArray(received) && received.length === 0 && none !== undefined) cli.say(none);
  for (const line of (await says?.(row, terms)) ?? []) cli.say(line);
  if (next !== null) cli.say(`Next page: --after ${next}`);
  if (fails?.(row) === true) cli.exitCode = 1;
}
