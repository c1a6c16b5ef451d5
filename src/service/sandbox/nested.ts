/**
 * Posts as later servers nest them: in place of a quote's text stands the whole post that is quoted, or null
 * although `quoted_status_id` is set, which is so in nearly half of all quotes.
 */
import type { MicroblogPost } from '../../contract/post.ts';
import { quotedBy } from './quoted.ts';

/** Nine of twenty quotes are null. */
const NULL_OF_20 = 9;
const DEPTH = 3;

/** @param given the post as it will be sent @param original the same post as it was written */
export function withNestedQuote(given: MicroblogPost, original: MicroblogPost, depth = 1): object {
  if (!original.is_quote_post) return given;
  const isNull = Number(BigInt(original.id) % 20n) < NULL_OF_20;
  const quoted = isNull || depth > DEPTH ? undefined : quotedBy(original);
  return { ...given, quote: quoted === undefined ? null : withNestedQuote(quoted, quoted, depth + 1) };
}
