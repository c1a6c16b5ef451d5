/** NUL stands in no text that Postgres can hold: it is refused here, before a page asks the database for it. */
import { InvalidInput } from '../../../errors.ts';

const EXPECTED = 'a text without NUL';

/** @param url as it was asked for; what stands behind `?` is read first. @throws InvalidInput */
export function assertNoNulInPath(url: string): void {
  const [path = ''] = url.split('?', 1);
  if (path.includes('%00'))
    throw new InvalidInput([{ path: 'address', given: undefined, expected: EXPECTED }]);
}

/** @param fields of a form or of an address, each given once or several times. @throws InvalidInput */
export function assertNoNulIn(fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) return;
  const wrong = Object.entries(fields).filter(([, given]) => [given].flat().some(holdsNul));
  if (wrong.length > 0)
    throw new InvalidInput(wrong.map(([path]) => ({ path, given: undefined, expected: EXPECTED })));
}

function holdsNul(given: unknown): boolean {
  return typeof given === 'string' && given.includes('\0');
}
