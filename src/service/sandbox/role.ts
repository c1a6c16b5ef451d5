/** What a post is for, besides talking about its topic: most do just that. */
import { drawsOf, type Key, subkey } from './random.ts';

/** How a post stands to others. */
export type Kind = 'original' | 'reply' | 'repost' | 'quote';

/**
 * - `plain`: about the topic. `sarcasm`, `long` (a thousand characters and more): about it all the same.
 * - `copy`: says what another post said, in nearly the same words, as its own.
 * - `distractor`: shares one word with the topic and is about something else.
 * - `spam`: wants to sell. `injection`: speaks to whatever machine reads it; harmless, a client must not obey.
 */
export type Role = 'plain' | 'sarcasm' | 'long' | 'copy' | 'distractor' | 'spam' | 'injection';

const SHARES: readonly (readonly [Role, number])[] = [
  ['sarcasm', 0.05],
  ['long', 0.012],
  ['copy', 0.05],
  ['distractor', 0.05],
  ['spam', 0.02],
  ['injection', 0.006],
];

/** Replies and quotes are plain, a repost has the role of what it repeats. */
export function roleOf(key: Key, wish: Kind, floodShare: number): Role {
  if (wish !== 'original') return 'plain';
  const draw = drawsOf(subkey(key, 4));
  if (draw() < floodShare) return 'spam';
  let rest = draw();
  for (const [role, share] of SHARES) {
    rest -= share;
    if (rest < 0) return role;
  }
  return 'plain';
}

/** Whether somebody who asked for the topic wants to see it. */
export function isRelevant(role: Role): boolean {
  return role !== 'distractor' && role !== 'spam' && role !== 'injection';
}
