/**
 * Which post a quote holds. The specification gives a quote's text only; servers have sent the whole post in
 * its place, and a client that asks for this fault gets it. It is written only when it is asked for.
 */
import type { MicroblogPost } from '../../contract/post.ts';

const quoted = new WeakMap<MicroblogPost, () => MicroblogPost | undefined>();

export function rememberQuoted(post: MicroblogPost, write: () => MicroblogPost | undefined): void {
  quoted.set(post, write);
}

/** The post that this one quotes, whole; undefined where it quotes none. */
export function quotedBy(post: MicroblogPost): MicroblogPost | undefined {
  return quoted.get(post)?.();
}
