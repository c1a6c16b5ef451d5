/** What visitors may do, and the error of a request that is refused for who made it. */

import type { Actor } from '../../store/audit-entries.ts';

/**
 * What a visitor may do. `read` sees everything that was found and how it goes; `write` changes topics, searches and
 * rules; `run` lets calls be made, which may cost money; `sql` asks the views statements of its own, which may be heavy;
 * `admin` sees and makes tokens and channels' secrets.
 */
export const SCOPES = ['read', 'write', 'run', 'sql', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whoever may do anything may read; an admin may do all. */
const IMPLIES: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  write: ['write', 'read'],
  run: ['run', 'read'],
  sql: ['sql', 'read'],
  admin: SCOPES,
};

/** Who asks: somebody on this machine where no token exists, whoever holds a token, or a session begun with one. */
export type Visitor = {
  kind: 'local' | 'token' | 'session' | 'nobody';
  scopes: ReadonlySet<Scope>;
  /** What tells visitors apart, for limits and logs: the public part of a token, or nothing. */
  name: string | null;
  /** SHA-256 of the key that a token was shown as: it may have been replaced since. */
  keyHash?: Buffer;
  /** Its row, where it is a session. */
  session?: bigint;
};

/** Under whom the changes of a visitor are recorded. @throws Error for one whom no route lets change anything */
export function toActor({ kind, name }: Visitor): Actor {
  if (kind === 'local') return { kind };
  if (kind === 'nobody' || name === null) throw new Error('nobody changes anything');
  return { kind, token: name };
}

/** What these scopes allow, what they imply included. */
export function expandScopes(scopes: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(scopes.flatMap((scope) => IMPLIES[scope]));
}

/** Whether a visitor may do all of what is asked for. */
export function hasScopes({ scopes }: Pick<Visitor, 'scopes'>, wanted: Scope | readonly Scope[]): boolean {
  return [wanted].flat().every((scope) => scopes.has(scope));
}

/**
 * Why somebody is not let in: it is not known who asks, or they may not do it, or another site made them ask, or
 * they asked under a name that is not ours, or too often.
 */
export type DeniedKind = 'unknown_visitor' | 'scope' | 'forged' | 'host' | 'too_many';

/** A request that is refused for who made it and how, whatever it asks for (HTTP 401, 403, 421, 429). */
export class Denied extends Error {
  override readonly name = 'Denied';
  readonly kind: DeniedKind;
  /** After how many seconds it may be tried again; only of `too_many`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: DeniedKind, words: string, retryAfterSeconds?: number) {
    super(words);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
