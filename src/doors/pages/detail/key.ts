import { Refused } from '../../../errors.ts';
import type { Id } from '../../../store/database.ts';

/** Keys are bigints of Postgres, which end at 2^63 - 1. */
const MOST = 9_223_372_036_854_775_807n;

/** The key in an address; undefined where it can be none. */
export function readKey(given: string): Id | undefined {
  if (!/^\d{1,19}$/.test(given)) return undefined;
  const key = BigInt(given);
  return key > MOST ? undefined : key;
}

/** @throws Refused `not_found` */
export function keyOf(what: string, given: string): Id {
  const key = readKey(given);
  if (key === undefined) throw missing(what, given);
  return key;
}

export function missing(what: string, given: string | Id): Refused {
  return new Refused('not_found', `there is no ${what} ${String(given).slice(0, 40)}`);
}
