/** Members of an operation's input as options and arguments of a command. */
import { z } from 'zod';
import { lowerFirst } from '../../../src/cli/terminal-text.ts';
import type { MemberSpec } from '../../../src/cli/operation-specs.ts';
import { InvalidInput } from '../../../src/model/errors.ts';
import { decodeInput } from '../../../src/monitor/http/request-problems.ts';
import {
  type CommandWords,
  commandWords,
  type Input,
  listShapes,
  memberOf,
} from '../../../src/monitor/operation.ts';

/** @param place the part of the request that has the member */
export function describeMember(input: Input, name: string, place: MemberSpec['in']): MemberSpec {
  const schema = memberOf(input, name);
  const { words, description = '', inner, standard } = unwrap(schema);
  const {
    argument,
    read,
    file = false,
    help = `${file ? 'file that contains it: ' : ''}${lowerFirst(description.replace(/\.$/, ''))}`,
    expected = place === 'params' ? describeEmpty(input, name) : undefined,
  } = words;
  const values = listValues(inner);
  const flag =
    words.flag ?? `--${name.replaceAll('_', '-')}${file ? '-file <path>' : ` <${words.value ?? name}>`}`;
  const shown = help.includes('(default: ') ? undefined : standard;
  const isRequired =
    listShapes(input).every(({ shape }) => name in shape) && !z.safeParse(schema, undefined).success;
  return {
    name,
    in: place,
    ...(argument === undefined ? {} : { argument }),
    flag,
    help: `${help}${values === '' || help.includes(values) ? '' : `: ${values}`}${shown === undefined ? '' : ` (default: ${shown})`}`,
    ...(isRequired ? { required: true } : {}),
    ...(file ? { file: true } : {}),
    ...(inner instanceof z.ZodArray ? { list: true } : {}),
    ...(read === undefined ? {} : { read }),
    ...(expected === undefined ? {} : { expected }),
  };
}

/** Of a choice, as a command checks it that sends another default. */
export function listChoices(input: Input, name: string): Pick<MemberSpec, 'choices' | 'expected'> {
  const { inner } = unwrap(memberOf(input, name));
  if (!(inner instanceof z.ZodEnum)) return {};
  const choices = inner.options.map(String);
  return { choices, expected: `one of ${choices.join(', ')}` };
}

/** What is expected instead of an empty text, which no path can have. */
function describeEmpty(input: Input, name: string): string {
  try {
    decodeInput(z.object({ [name]: memberOf(input, name) }), { [name]: '' });
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems[0]?.expected ?? '';
  }
  return 'a text that is not empty';
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
