/** Parses the author of a post. */

import { AUTHOR_COUNTERS, forCounters } from '../../model/counters.ts';
import type { ParsedAuthor } from '../../model/parsed-results.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';
import { removeSignature } from './media-addresses.ts';
import { readAddress } from './parse-links.ts';
import { readNetworkTime } from './timestamps.ts';
import {
  boundJson,
  readBoolean,
  readCounter,
  readIdList,
  readNonEmptyText,
  readUnknownCounters,
  readWord,
} from './wire-values.ts';

/**
 * Members that the specification does not have. Where one is present, an empty text means "has none"; otherwise it is
 * also written where the text is unknown.
 */
const LATER_MEMBERS = [
  'followings_count',
  'profile_banner_url',
  'pinned_tweet_ids',
  'professional',
  'entities',
] as const;

function readPicture(value: unknown): string | null {
  const address = readAddress(value);
  return address === null ? null : removeSignature(address);
}

/** Parses an author from `user`; its id is parsed before, since it is required. */
export function parseAuthor(user: Plain, externalId: string, isPartial: boolean): ParsedAuthor {
  const unknown = readUnknownCounters(user.unknown_counters);
  const counter = (member: string) => (unknown.has(member) ? null : readCounter(user[member]));
  const knowsEmpty = LATER_MEMBERS.some((member) => own(user, member) !== undefined);
  /** `''` if the author is known to have none. */
  const orEmpty = (member: string, read: (value: unknown) => string | null) =>
    knowsEmpty && own(user, member) === '' ? '' : read(user[member]);
  const professional = boundJson(user.professional);
  const entities = boundJson(user.entities);
  return {
    external_id: externalId,
    username: readWord(user.username, 256),
    name: readNonEmptyText(user.name, 1_000),
    url: orEmpty('url', readAddress),
    created_at: readNetworkTime(user.created_at),
    description: orEmpty('description', (value) => readNonEmptyText(value, 10_000)),
    location: orEmpty('location', (value) => readNonEmptyText(value, 1_000)),
    profile_image_url: readPicture(user.profile_image_url),
    profile_banner_url: readPicture(user.profile_banner_url),
    pinned_post_ids: readIdList(user.pinned_tweet_ids ?? user.pinned_post_ids),
    professional: isPlain(professional) ? professional : null,
    entities: isPlain(entities) ? entities : null,
    verified: readBoolean(user.verified),
    is_blue_verified: readBoolean(user.is_blue_verified),
    can_dm: readBoolean(user.can_dm),
    can_media_tag: readBoolean(user.can_media_tag),
    ...forCounters(AUTHOR_COUNTERS, counter),
    is_partial: isPartial,
  };
}
