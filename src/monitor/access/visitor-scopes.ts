/** Scopes of visitors, and the error for requests that are denied. */

import type { Actor } from '../../store/access/audit-entries.ts';

/**
 * `read` sees all results and the status; `write` changes topics, searches and rules; `run` makes calls, which may cost
 * money; `sql` runs statements over the views, which may be expensive; `admin` manages tokens and channels, and sees new
 * secrets.
 */
export const SCOPES = ['read', 'write', 'run', 'sql', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Who makes a request: a local visitor while no token exists, the holder of a token, a session started with one, or a command
 * with the key of the data directory; or whoever opens a shared page.
 */
export type Visitor = {
  kind: 'local' | 'token' | 'session' | 'command_line' | 'shared' | 'nobody';
  scopes: ReadonlySet<Scope>;
  /** Identifies a visitor in limits and logs: the public part of their token, or the account of a command; null without either. */
  name: string | null;
  /** SHA-256 of the key that was sent, which may have been replaced since. */
  keyHash?: Buffer;
  /** Id of the session, if there is one. */
  session?: bigint;
  /** Of a shared page: when its link expires. */
  until?: Date;
};

/** The actor under whom changes of a visitor are recorded. @throws Error for a visitor who may not change anything */
export function toActor({ kind, name }: Visitor): Actor {
  if (kind === 'local') return { kind };
  if (kind === 'nobody' || kind === 'shared' || name === null) throw new Error('nobody changes anything');
  return kind === 'command_line' ? { kind, name } : { kind, token: name };
}

/** The scopes that this version knows, in the order of {@link SCOPES}. */
export function readScopes(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}

/** These scopes, including implied ones: every known scope implies `read`, and `admin` implies all. */
export function expandScopes(scopes: readonly string[]): ReadonlySet<Scope> {
  return new Set(readScopes(scopes).flatMap((scope) => (scope === 'admin' ? SCOPES : [scope, 'read'])));
}

/** Whoever uses this machine: its commands, and requests from it while no token exists. */
export const LOCAL_VISITOR: Visitor = { kind: 'local', scopes: expandScopes(SCOPES), name: null };

/** Whether a visitor has all of these scopes. */
export function hasScopes({ scopes }: Pick<Visitor, 'scopes'>, wanted: Scope | readonly Scope[]): boolean {
  return [wanted].flat().every((scope) => scopes.has(scope));
}

/** @throws Denied `scope` if a visitor lacks one of these scopes */
export function assertScopes(visitor: Pick<Visitor, 'scopes'>, wanted: Scope | readonly Scope[]): void {
  if (hasScopes(visitor, wanted)) return;
  const lacking = [wanted].flat().filter((name) => !visitor.scopes.has(name));
  const scopes = lacking.length === 1 ? 'scope' : 'scopes';
  throw new Denied('scope', `the token lacks the ${scopes} ${lacking.join(' and ')}`);
}

/**
 * Why a request is denied: unknown visitor, missing scope, forged by another site, wrong host name, or too many requests.
 */
export type DeniedKind = 'unknown_visitor' | 'scope' | 'forged' | 'host' | 'too_many';

/** A request that is denied because of who made it or how (HTTP 401, 403, 421, 429). */
export class Denied extends Error {
  override readonly name = 'Denied';
  readonly kind: DeniedKind;
  /** Seconds to wait before a retry; only for `too_many`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: DeniedKind, message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
