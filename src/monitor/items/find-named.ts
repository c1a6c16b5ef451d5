/** Posts and authors that are named by an id, or by an address or username. */
import { z } from 'zod';
import { Refused } from '../../model/errors.ts';
import { MAX_ID } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';

const MAX_NAME_LENGTH = 2_000;

/** An id, or a name that a pattern accepts. @param expected the description of valid values, for refusals */
export function idOrNameParam(name: RegExp, expected: string) {
  const isId = (text: string) => /^[1-9]\d{0,18}$/.test(text);
  return z.codec(
    z
      .string()
      .refine(
        (text) => text.length <= MAX_NAME_LENGTH && !text.includes('\0') && (isId(text) || name.test(text)),
        expected,
      ),
    z.union([z.bigint().max(MAX_ID, expected), z.string()]),
    { decode: (text) => (isId(text) ? BigInt(text) : text), encode: String },
  );
}

/** @param find all that have a name @throws Refused if none or several have it */
export async function findNamed(
  kind: 'post' | 'author',
  given: Id | string,
  find: (name: string) => Promise<readonly { id: Id; service: string }[]>,
): Promise<Id> {
  if (typeof given === 'bigint') return given;
  const matches = await find(given);
  const [first, ...others] = matches;
  if (first === undefined) throw new Refused('not_found', `no ${kind} ${given} is stored`);
  if (others.length === 0) return first.id;
  const ids = matches.map(({ id, service }) => `${id} (${service})`).join(', ');
  throw new Refused('conflict', `${given} matches several ${kind}s. Use the id of one: ${ids}`);
}
