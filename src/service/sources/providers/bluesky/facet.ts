/** Hashtags, mentions and links of a post's text, which Bluesky marks by the bytes they cover in UTF-8. */
import { z } from 'zod';
import { addressOrNull, type Entities, id, words } from '../../reading/post-of.ts';
import { optional } from '../../reading/read-answer.ts';

const feature = z.object({ did: optional(id), tag: optional(words), uri: addressOrNull });
const facet = z.object({
  index: z.object({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(feature.nullable().catch(null)),
});
/** One that does not fit is null and costs the others nothing. */
export const facets = optional(z.array(facet.nullable().catch(null)));

/** @param handleOf the handle of an account, where it is known */
export function entitiesIn(
  text: string,
  marked: z.infer<typeof facets>,
  handleOf: (did: string) => string | undefined,
): Entities {
  const bytes = Buffer.from(text, 'utf8');
  const found: Entities = { hashtags: [], mentions: [], urls: [] };
  for (const one of marked ?? []) {
    for (const said of one?.features ?? []) {
      if (one === null || said === null) continue;
      const { byteStart, byteEnd } = one.index;
      if (said.tag) found.hashtags.push(said.tag);
      if (said.uri !== null) found.urls.push(said.uri);
      if (said.did !== undefined) {
        found.mentions.push(
          handleOf(said.did) ?? handleIn(bytes.toString('utf8', byteStart, byteEnd)) ?? said.did,
        );
      }
    }
  }
  return found;
}

/** What stands in the text is the author's: only what looks like a handle is one. */
function handleIn(text: string): string | undefined {
  return /^@((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62})$/i.exec(text)?.[1];
}
