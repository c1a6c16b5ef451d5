import type { Actor } from '../../store/audit.ts';

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
export function actorOf({ kind, name }: Visitor): Actor {
  if (kind === 'local') return { kind };
  if (kind === 'nobody' || name === null) throw new Error('nobody changes anything');
  return { kind, token: name };
}

/** What these scopes allow, what they imply included. */
export function allowedBy(scopes: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(scopes.flatMap((scope) => IMPLIES[scope]));
}

/** Whether a visitor may do all of what is asked for. */
export function mayDo({ scopes }: Pick<Visitor, 'scopes'>, wanted: Scope | readonly Scope[]): boolean {
  return [wanted].flat().every((scope) => scopes.has(scope));
}
