/** One post with all that is known about it. */
import { awaitMembers } from '../../lib/await-members.ts';
import { nameChanges, POST_VERSION_MEMBERS } from '../../model/item-versions.ts';
import type { Id } from '../../store/db/database.ts';
import { readAgesOfPost } from '../../store/queries/counters-at-age.ts';
import { readPostGrowth } from '../../store/queries/growth.ts';
import {
  findPostsAt,
  readPost,
  readPostsByExternalId,
  readPostSightings,
  readPostVersions,
} from '../../store/queries/post-detail.ts';
import type { Context } from '../context.ts';
import { findById } from '../http/find-by-id.ts';
import { findNamed } from './find-named.ts';

/** @param given its id or address @throws Refused if no post has it, or several have the address */
export async function readWholePost({ db, config }: Pick<Context, 'db' | 'config'>, given: Id | string) {
  const id = await findNamed('post', given, (address) => findPostsAt(db, address, config.linkRules));
  const post = await findById('post', id, readPost(db, id));
  const inside = [post.quoted_status_id, post.reposted_status_id].filter((external) => external !== null);
  const { known, growth, versions, ...history } = await awaitMembers({
    growth: readPostGrowth(db, id),
    versions: readPostVersions(db, id),
    ages: readAgesOfPost(db, id),
    found_by: readPostSightings(db, id),
    known: readPostsByExternalId(db, post.service, inside),
  });
  const findKnown = (external: string | null) =>
    known.find(({ external_id }) => external_id === external) ?? null;
  return {
    post,
    growth: growth ?? null,
    versions: nameChanges(versions, POST_VERSION_MEMBERS),
    ...history,
    quoted: findKnown(post.quoted_status_id),
    reposted: findKnown(post.reposted_status_id),
  };
}
