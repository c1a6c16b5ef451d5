import type { Plain } from '../../contract/plain.ts';
import { readCounter, readUnknownCounters } from './counter.ts';
import type { ReadAuthor } from './findings.ts';
import { readAddress } from './link.ts';
import { readBoolean, readText, readWord } from './text.ts';
import { readTime } from './time.ts';

/** The author of a post, out of its `user`; the id is read before, because without one there is no author. */
export function readAuthor(user: Plain, externalId: string): ReadAuthor {
  const unknown = readUnknownCounters(user.unknown_counters);
  const counter = (member: string) => (unknown.has(member) ? null : readCounter(user[member]));
  return {
    external_id: externalId,
    username: readWord(user.username, 256),
    name: textOf(user.name, 1_000),
    url: readAddress(user.url),
    created_at: readTime(user.created_at),
    description: textOf(user.description, 10_000),
    location: textOf(user.location, 1_000),
    profile_image_url: readAddress(user.profile_image_url),
    verified: readBoolean(user.verified),
    is_blue_verified: readBoolean(user.is_blue_verified),
    can_dm: readBoolean(user.can_dm),
    can_media_tag: readBoolean(user.can_media_tag),
    followers_count: counter('followers_count'),
    favourites_count: counter('favourites_count'),
    listed_count: counter('listed_count'),
    media_count: counter('media_count'),
    statuses_count: counter('statuses_count'),
  };
}

/** A text about somebody; an empty one says nothing. */
function textOf(value: unknown, max: number): string | null {
  const text = readText(value, max);
  return text === '' ? null : text;
}
