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
