/** Folds copies: what has one address, or equal text without addresses and mentions, is one thing. */
import { addToGroup, type Groups } from '../../domain/group-by.ts';
import type { Id } from '../../store/database.ts';
import type { DigestItem } from './digest-shapes.ts';

/** An item with the key of its author, which is counted and not part of a digest. */
export type FoundItem = DigestItem & { author_id: Id | null };

const ADDRESS_OR_MENTION = /https?:\/\/\S+|@[\p{L}\p{N}_]+/giu;

/** @param found best first @returns the first of each thing, with how many it stands for */
export function foldThings(found: readonly FoundItem[]): DigestItem[] {
  const groups: Groups<string, FoundItem> = new Map();
  for (const item of found) addToGroup(groups, nameThing(item), item);
  return [...groups.values()].map(([{ author_id: _, ...first }, ...copies]) => {
    const authors = new Set([_, ...copies.map(({ author_id }) => author_id)].filter((id) => id !== null));
    return { ...first, copies: 1 + copies.length, authors: authors.size === 0 ? null : authors.size };
  });
}

function nameThing({ kind, id, text }: FoundItem): string {
  const words = (text ?? '')
    .replace(ADDRESS_OR_MENTION, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? `${kind} ${id}` : `text ${words}`;
}
