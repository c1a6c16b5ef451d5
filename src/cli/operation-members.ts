/** Members of an operation's input as options and arguments of a command. */
import { z } from 'zod';
import { type CommandWords, commandWords, type Input, listShapes, memberOf } from '../monitor/operation.ts';

export type Member = {
  name: string;
  /** The name of the argument; undefined: it is an option. */
  argument: string | undefined;
  /** Of the option, such as `--name <name>`. */
  flag: string;
  help: string;
  required: boolean;
  file: boolean;
  /** What is expected where `read` refuses. */
  expected: string;
  read: NonNullable<CommandWords['read']> | undefined;
  isList: boolean;
};

/** @param name of a member of the input */
export function describeMember(input: Input, name: string): Member {
  const schema = memberOf(input, name);
  const { words, description = '', inner, standard } = unwrap(schema);
  const {
    argument,
    read,
    file = false,
    help = `${file ? 'file that contains it: ' : ''}${lowerFirst(description.replace(/\.$/, ''))}`,
    expected = 'a valid value',
  } = words;
  const values = listValues(inner);
  const flag =
    words.flag ?? `--${name.replaceAll('_', '-')}${file ? '-file <path>' : ` <${words.value ?? name}>`}`;
  const shown = help.includes('(default: ') ? undefined : standard;
  return {
    name,
    argument,
    flag,
    help: `${help}${values === '' || help.includes(values) ? '' : `: ${values}`}${shown === undefined ? '' : ` (default: ${shown})`}`,
    required:
      listShapes(input).every(({ shape }) => name in shape) && !z.safeParse(schema, undefined).success,
    file,
    expected,
    read,
    isList: inner instanceof z.ZodArray,
  };
}

/** The value of a member as the API takes it, from what commander read; undefined: invalid. */
export function readMember(
  { read, isList }: Member,
  typed: unknown,
  { now, zone }: { now: Date; zone: string },
): unknown {
  // A flag is a boolean in a query, which is text.
  if (typeof typed !== 'string') return String(typed);
  if (read !== undefined) return read(typed, now.getTime(), zone);
  return isList ? splitList(typed) : typed;
}

/** The parts of a list, separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Words and description of a schema or of what it wraps: the outermost of each. */
function unwrap(schema: z.core.$ZodType) {
  let inner = schema as z.ZodType; // every schema of ours is one
  let words: CommandWords = {};
  let description: string | undefined;
  let standard: string | undefined;
  for (;;) {
    words = { ...commandWords.get(inner), ...words };
    description ??= z.globalRegistry.get(inner)?.description;
    if (inner instanceof z.ZodDefault) standard ??= String(inner.def.defaultValue);
    if (!('innerType' in inner.def)) return { words, description, inner, standard };
    inner = inner.def.innerType as z.ZodType; // so it is named in every schema that wraps another
  }
}

/** `post, link` for a choice, or a list of choices. */
function listValues(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodArray) return listValues(schema.element);
  if (!(schema instanceof z.ZodEnum) || schema.options.length > MAX_LISTED_VALUES) return '';
  return schema.options.join(', ');
}

/** The values of a longer choice are in the message about a wrong one. */
const MAX_LISTED_VALUES = 12;

/** A text whose first word is an abbreviation, such as URL, is unchanged. */
export function lowerFirst(text: string): string {
  return /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
