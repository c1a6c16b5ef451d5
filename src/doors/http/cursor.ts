/** Where a list goes on: the keys of the last row that was seen, and nothing a client should look into. */
import { z } from 'zod';
import { givenId } from './given.ts';

const LONGEST = 512;
const EXPECTED = 'a cursor as this list gave it in next_cursor';

/**
 * A cursor over the keys that a list is ordered by. `z.encode` writes one; in a query it is read, and anything
 * that this list did not write is refused.
 * @param list the list's name, so that a cursor of another list is not taken
 * @param keys a tuple of codecs (see given.ts), in the order of the list
 */
export function cursorOf<Out, In>(list: string, keys: z.core.$ZodType<Out, In>) {
  return z
    .codec(z.string().max(LONGEST, EXPECTED), z.custom<Out>(), {
      decode: (text, { issues }) => {
        const [name, given] = jsonIn(text);
        const read = z.safeDecode(keys, given as In); // whatever it is, it is checked here
        if (name === list && read.success) return read.data;
        issues.push({ code: 'custom', message: EXPECTED, input: text });
        return z.NEVER;
      },
      encode: (values) =>
        Buffer.from(JSON.stringify([list, z.encode(keys, values)]), 'utf8').toString('base64url'),
    })
    .meta({ description: 'Where to go on: next_cursor of the page before.' });
}

/** A cursor of a list that is ordered by id alone. */
export function idCursor(list: string) {
  return cursorOf(list, z.tuple([givenId]));
}

function jsonIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
