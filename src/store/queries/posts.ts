/** Posts by key, without nested ones. Lists: `post-pages.ts`. */

import { amongIds, type Id, type Orm, prepareOnce } from '../db/database.ts';
import { postsView } from '../schema/analytics-views.ts';

export type PostRow = typeof postsView.$inferSelect;

/** Posts by key, in no order. */
export async function readPostsByIds({ orm }: Orm, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  const view = postsView;
  return prepareOnce(orm, 'posts_of', () => orm.select().from(view).where(amongIds(view.id))).execute({
    ids,
  });
}
