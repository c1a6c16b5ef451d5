import type { Plain } from '../../contract/plain.ts';
import { readCounter } from './counter.ts';
import type { ReadAuthor } from './findings.ts';
import { readAddress } from './link.ts';
import { readBoolean, readText, readWord } from './text.ts';
import { readTime } from './time.ts';

/** The author of a post, out of its `user`; the id is read before, because without one there is no author. */
export function readAuthor(user: Plain, externalId: string): ReadAuthor {
  return {
    external_id: externalId,
    username: readWord(user.username, 256),
    name: readText(user.name, 1_000),
    url: readAddress(user.url),
    created_at: readTime(user.created_at),
    description: readText(user.description, 10_000),
    location: readText(user.location, 1_000),
    profile_image_url: readAddress(user.profile_image_url),
    verified: readBoolean(user.verified),
    is_blue_verified: readBoolean(user.is_blue_verified),
    can_dm: readBoolean(user.can_dm),
    can_media_tag: readBoolean(user.can_media_tag),
    followers_count: readCounter(user.followers_count),
    favourites_count: readCounter(user.favourites_count),
    listed_count: readCounter(user.listed_count),
    media_count: readCounter(user.media_count),
    statuses_count: readCounter(user.statuses_count),
  };
}
