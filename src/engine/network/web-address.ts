/** Reading an address that a person gives for requests to be sent to. */
import { InvalidInput } from '../../errors.ts';

const LONGEST = 2_000;

/**
 * An address as WHATWG URL reads it, so that `0x7f.1` and `2130706433` are seen as what they are.
 * @throws InvalidInput; nothing behind the host is repeated, for it may be a secret
 */
export function readWebAddress(given: string, path: string): URL {
  const refuse = (expected: string) => new InvalidInput([{ path, given: '(hidden)', expected }]);
  const expected = 'an address such as https://hooks.host/path';
  if (given.length > LONGEST) throw refuse(`${expected}, of at most ${LONGEST} characters`);
  const url = parsed(given.trim());
  if (url === undefined) throw refuse(expected);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`${expected}; only https and http are spoken`);
  if (url.username !== '' || url.password !== '')
    throw refuse(`${expected}, without user or password: messages are signed`);
  url.hash = '';
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
