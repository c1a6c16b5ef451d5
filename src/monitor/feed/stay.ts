import { hasTokens } from '../../store/tokens.ts';
import { readOpenTokens, readSessionsThere } from '../../store/reads/open-visitors.ts';
import type { Visitor } from '../access/scopes.ts';
import type { Context } from '../context.ts';

/**
 * Who of those that were let in a while ago would still be: their token opens something by the key
 * that they showed, their session was not ended, and where they came without either, no token was made since.
 */
export async function whoMayStay<V extends Visitor>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  visitors: readonly V[],
): Promise<ReadonlySet<V>> {
  if (visitors.length === 0) return new Set();
  const names = visitors.flatMap(({ name }) => name ?? []);
  const ids = visitors.flatMap(({ session }) => session ?? []);
  const [tokens, sessions, isClosed] = await Promise.all([
    readOpenTokens(db, [...new Set(names)], clock.now()),
    readSessionsThere(db, [...new Set(ids)], clock.now()),
    hasTokens(db),
  ]);
  return new Set(
    visitors.filter(({ kind, name, keyHash, session }) => {
      if (kind === 'local') return !isClosed;
      const keys = name === null ? undefined : tokens.get(name);
      if (keys === undefined) return false;
      return session === undefined ? keys.has(keyHash?.toString('hex') ?? '') : sessions.has(session);
    }),
  );
}
