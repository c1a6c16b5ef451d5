/** Commands of operations: options, help, tables, and `--json`, which prints the reply as the API sends it. */
import { type Command, Option } from 'commander';
import { InvalidInput, type Problem } from '../model/errors.ts';
import { isPlain } from '../lib/json-values.ts';
import { splitList, TYPED_VALUES } from '../monitor/typed-values.ts';
import type { Api } from './api-client.ts';
import type { Cli } from './command-context.ts';
import { type ListOptions, readPages, type Shown } from './list-pages.ts';
import { findSpec, listSpecs, type MemberSpec, type OperationSpec } from './operation-specs.ts';
import { createInvalidOption, limitOption } from './option-values.ts';
import { type OperationView, renderRows, type Terms } from './reply-view.ts';
import { lowerFirst } from './terminal-text.ts';

/**
 * Adds a command for each operation of a group: below its command, or as that command itself.
 * @param isOf of these operations. Default: all of the group
 */
export function addOperations<Row>(
  group: Command,
  cli: Cli,
  view: OperationView<Row>,
  isOf: (spec: OperationSpec) => boolean = () => true,
): void {
  const path = namePath(group);
  for (const spec of listSpecs())
    if (spec.command !== undefined && isOf(spec))
      if (spec.command === path || spec.command.replace(/ [a-z]+$/, '') === path)
        addOperation(group, cli, spec, spec.command, view);
}

/** Whether a command of an operation was typed: then the commands of its group that are written by hand are not loaded. */
export function isOperation({ typed }: Pick<Cli, 'typed'>): boolean {
  return listSpecs().some(({ command }) => command === typed);
}

/** `service key`, without the name of the program. */
function namePath(command: Command): string {
  const { parent } = command;
  return parent?.parent == null ? command.name() : `${namePath(parent)} ${command.name()}`;
}

function addOperation<Row>(
  group: Command,
  cli: Cli,
  spec: OperationSpec,
  words: string,
  view: OperationView<Row>,
): void {
  const { id, does, example, shown, members, runsIn } = spec;
  const name = words.split(' ').at(-1) ?? '';
  // A group that is a command itself, such as `digest`.
  const command = name === group.name() ? group : group.command(name).description(lowerFirst(does));
  cli.callers.add(command);
  for (const { argument, help, required } of members)
    if (argument !== undefined) command.argument(required === true ? `<${argument}>` : `[${argument}]`, help);
  const options = new Map<MemberSpec, Option>();
  for (const member of members)
    if (member.argument === undefined || member.file === true) {
      const { argument, flag, help } = member;
      const option = new Option(
        flag,
        argument === undefined ? help : `file that contains the ${argument}, which others cannot see then`,
      );
      options.set(member, option);
      command.addOption(option);
    }
  const shortcuts = Object.entries(spec.shortcuts ?? {}).map(([flag, { help, sets }]) => {
    const replaced = members.filter(({ name: member }) => member in sets);
    const option = new Option(flag, help).conflicts(
      replaced.flatMap((member) => options.get(member)?.attributeName() ?? []),
    );
    command.addOption(option);
    return { name: option.attributeName(), sets };
  });
  if (typeof shown === 'number')
    command
      .addOption(limitOption(shown))
      .option('--after <place>', 'the next page, as the previous one says');
  const alternative = view.instead?.[id];
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
      members.flatMap((member): [MemberSpec, unknown][] => {
        const text = readGiven(cli, command, member, options.get(member));
        return text === undefined ? [] : [[member, text]];
      }),
    );
    const typed = Object.fromEntries([...texts].map(([{ name: member }, text]) => [member, text]));
    const set = shortcuts.filter(({ name: flag }) => readOption(command, flag) === true);
    const call = (api: Api) => {
      const { values, problems } = readMembers(spec, texts, { now: api.now(), zone: cli.page.zone });
      for (const { sets } of set) Object.assign(values, sets);
      return namingOptions(members, options, () => request(api, spec, { values, problems }, asked, typed));
    };
    await cli.withApi(
      async (api) => {
        const reply = await call(api);
        const terms: Terms = {
          page: cli.page,
          now: api.now(),
          typed,
          beside: reply.beside as Readonly<Record<string, unknown>>, // members of a reply
          ask: async (wanted, about = {}) => {
            const other = findSpec(wanted);
            const whole = other.shown === undefined ? other : { ...other, shown: null };
            return (await readPages(api, whole, about, {}, {})).reply;
          },
        };
        await print(cli, spec, view, reply, json, terms);
      },
      { runsIn },
    );
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
  { argument, file }: MemberSpec,
  option: Option | undefined,
): unknown {
  const at = command.registeredArguments.findIndex((each) => each.name() === argument);
  const typed: unknown = command.processedArgs[at];
  const optionValue: unknown = option === undefined ? undefined : readOption(command, option.attributeName());
  if (option === undefined || optionValue === undefined) return typed;
  // Several words without quotes.
  if (Array.isArray(optionValue)) return optionValue.join(' ');
  if (file !== true || typeof optionValue !== 'string') return optionValue;
  if (typed !== undefined)
    throw createInvalidOption(option.name(), optionValue, `nothing: the ${argument} is given already`);
  return cli.readFile(optionValue, option.long ?? '').trim();
}

type ReadMembers = { values: Record<string, unknown>; problems: Problem[] };

/** Requests what was typed. @throws InvalidInput with all problems, those of reading it first */
async function request(
  api: Api,
  spec: OperationSpec,
  { values, problems }: ReadMembers,
  asked: ListOptions,
  typed: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  // No path has an empty part.
  const isEmpty = spec.members.some((member) => member.in === 'params' && values[member.name] === '');
  if (isEmpty) throw new InvalidInput(problems);
  try {
    const shown = await readPages(api, spec, values, asked, typed);
    if (problems.length === 0) return shown;
  } catch (error) {
    if (!(error instanceof InvalidInput) || problems.length === 0) throw error;
    const others = error.problems.filter(({ path }) =>
      problems.every((known) => known.path !== readName(path)),
    );
    throw new InvalidInput([...problems, ...others]);
  }
  throw new InvalidInput(problems);
}

function readMembers(
  { sends }: OperationSpec,
  texts: ReadonlyMap<MemberSpec, unknown>,
  typed: { now: Date; zone: string },
): ReadMembers {
  const values: Record<string, unknown> = { ...sends };
  const problems: Problem[] = [];
  for (const [member, text] of texts) {
    const value = readMember(member, text, typed);
    if (value === undefined || (value === '' && member.in === 'params'))
      problems.push({ path: member.name, given: text, expected: member.expected ?? 'a valid value' });
    // An object is no value of any of them: the request is refused with its other problems, and does nothing.
    values[member.name] = value === undefined && member.in === 'body' ? {} : (value ?? text);
  }
  return { values, problems };
}

/** The value of a member as the API takes it, from what commander read; undefined: invalid. */
function readMember(
  { read, list, choices }: MemberSpec,
  typed: unknown,
  { now, zone }: { now: Date; zone: string },
): unknown {
  // A flag is a boolean in a query, which is text.
  if (typeof typed !== 'string') return String(typed);
  if (read !== undefined) return TYPED_VALUES[read](typed, now.getTime(), zone);
  if (choices?.includes(typed) === false) return undefined;
  return list === true ? splitList(typed) : typed;
}

/** The name of a member in the path of a problem: `scopes` for `scopes[1]`. */
function readName(path: string): string {
  return path.replace(/[.[].*$/s, '');
}

/** Problems name members by their options, as a person typed them. */
async function namingOptions<T>(
  members: readonly MemberSpec[],
  options: ReadonlyMap<MemberSpec, Option>,
  act: () => Promise<T>,
): Promise<T> {
  const nameMember = (member: MemberSpec) => member.argument ?? options.get(member)?.name() ?? member.name;
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
function listAlternatives(members: readonly MemberSpec[]): readonly MemberSpec[] {
  const others = members.filter(({ required }) => required !== true);
  return others.length <= MAX_ALTERNATIVES ? others : others.filter(({ argument }) => argument !== undefined);
}

const MAX_ALTERNATIVES = 3;

const listColumns = <Row>(columns: OperationView<Row>['columns'], terms: Terms) =>
  typeof columns === 'function' ? columns(terms) : columns;

async function print<Row>(
  cli: Cli,
  { id, shown: rowsShown, once }: OperationSpec,
  { columns, url, none, replies = {} }: OperationView<Row>,
  { reply: received, next }: Shown,
  json: boolean | undefined,
  terms: Terms,
): Promise<void> {
  const { lines, says, fails, complete } = replies[id] ?? {};
  const row = (await complete?.(received as Row, terms)) ?? (received as Row); // or what the view of this operation takes
  const render = () => {
    if (lines !== undefined) return lines(row, terms);
    if (rowsShown !== undefined)
      return renderRows(received as Row[], listColumns(columns, terms), terms, url); // of a list
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
