import { isPlain, own, type Plain } from '../../contract/plain.ts';
import { readAddress } from './link.ts';
import { readWord } from './text.ts';

/** At most this many of each are taken from one post. */
const ENTITIES_MAX = 200;

export type ReadEntities = { hashtags: string[]; mentions: string[]; urls: string[] };

/**
 * Hashtags, handles and expanded addresses out of a post's `entities`, whose members the specification
 * does not show: `hashtags: [{text}]`, `user_mentions: [{screen_name}]`, `urls: [{expanded_url}]`.
 */
export function readEntities(entities: unknown): ReadEntities {
  if (!isPlain(entities)) return { hashtags: [], mentions: [], urls: [] };
  return {
    hashtags: pick(entities, ['hashtags'], ['text', 'tag'], (value) => readWord(value, 256)),
    mentions: pick(entities, ['user_mentions', 'mentions'], ['screen_name', 'username'], (value) =>
      readWord(value, 256),
    ),
    urls: pick(entities, ['urls'], ['expanded_url', 'unwound_url', 'url'], readAddress),
  };
}

function pick(
  entities: Plain,
  lists: readonly string[],
  members: readonly string[],
  read: (value: unknown) => string | null,
): string[] {
  const list = lists.map((name) => own(entities, name)).find(Array.isArray);
  if (list === undefined || list.length === 0) return [];
  const found = new Set<string>();
  for (const item of list.slice(0, ENTITIES_MAX)) {
    const value = isPlain(item) ? members.map((name) => own(item, name)).find(isGiven) : item;
    const text = read(value);
    if (text !== null) found.add(text);
  }
  return [...found];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
