/** What a post of Bluesky carries: pictures, a video, the card of a link, another post. */
import { z } from 'zod';
import type { MicroblogPost } from '../../../../contract/post.ts';
import { isBlocked, isHidden, labels, standing } from './label.ts';
import { postId } from './uri.ts';
import { addressOrNull, words } from '../../reading/post-of.ts';
import { optional } from '../../reading/read-answer.ts';

/** A post that is gone, blocked or detached has an address, but no `value`. */
const quoted = z.object({
  uri: z.string(),
  value: optional(z.object({ text: words })),
  labels,
  author: optional(z.object({ labels, viewer: standing })),
});
const attached = z.object({
  images: optional(z.array(z.object({ fullsize: addressOrNull }))),
  playlist: addressOrNull,
  external: optional(z.object({ uri: addressOrNull })),
});
export const embed = attached.extend({
  // With media beside it, the quoted record lies one level deeper.
  record: optional(z.union([quoted, z.object({ record: quoted }).transform(({ record }) => record)])),
  media: optional(attached),
});

export type Embedded = {
  media: MicroblogPost['media'];
  isQuote: boolean;
  /** Null where the quoted post is not to be shown. */
  quotedId: string | null;
  quote: string | null;
  links: string[];
};

export function embeddedIn(view: z.infer<typeof embed> | undefined): Embedded {
  const { record, media } = view ?? {};
  const parts = [view, media].filter((one) => one !== undefined);
  const quote = record === undefined || isGone(record) ? undefined : record;
  return {
    media: parts.flatMap(({ images = [], playlist }) => [
      ...images.flatMap(({ fullsize }) => mediaOf('photo', fullsize)),
      ...mediaOf('video', playlist),
    ]),
    isQuote: postId(record?.uri) !== null,
    quotedId: postId(quote?.uri),
    quote: postId(quote?.uri) === null ? null : (quote?.value?.text ?? null),
    links: parts.flatMap(({ external }) => (external?.uri ? [external.uri] : [])),
  };
}

function isGone({ value, labels: said, author }: z.infer<typeof quoted>): boolean {
  return value === undefined || isHidden(said, author?.labels) || isBlocked(author?.viewer);
}

function mediaOf(type: string, address: string | null): MicroblogPost['media'] {
  return address === null ? [] : [{ type, media_url: address }];
}
