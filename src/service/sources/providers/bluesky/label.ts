/** What moderators and authors say of posts and accounts, and what is not shown because of it. */
import { z } from 'zod';
import { optional } from '../../reading/read-answer.ts';

/**
 * What the network's own site shows to nobody who is not signed in there, which none of our readers is;
 * `!no-unauthenticated` is an author's own wish for just that.
 */
const HIDDEN: ReadonlySet<string> = new Set([
  '!hide',
  '!takedown',
  '!suspend',
  '!no-unauthenticated',
  'graphic-media',
  'porn',
  'sexual',
  'spam',
]);

const label = z.object({ val: z.string(), neg: optional(z.boolean()) });
export const labels = optional(z.array(label.nullable().catch(null)));
export type Labels = z.infer<typeof labels>;

/** A label counts until another takes it back (`neg`). */
export function isHidden(...of: readonly Labels[]): boolean {
  return of.some((some) => {
    const said = (some ?? []).filter((one) => one !== null);
    const takenBack = new Set(said.filter(({ neg }) => neg === true).map(({ val }) => val));
    return said.some(({ val }) => HIDDEN.has(val) && !takenBack.has(val));
  });
}

/** How the account that searches and another stand to each other. */
export const standing = optional(
  z.object({ blockedBy: optional(z.boolean()), blocking: optional(z.string()) }),
);

export function isBlocked(viewer: z.infer<typeof standing>): boolean {
  return viewer?.blockedBy === true || viewer?.blocking !== undefined;
}
