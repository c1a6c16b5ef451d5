/** What a search of X costs: every post, person and picture of an answer, in millionths of a dollar. */

/** docs.x.com, "pricing", 2026: charged by what an answer holds, also when it only stands beside the posts. */
const PRICE = { post: 5_000, user: 10_000, media: 5_000 };
/** Beside a post can stand the one it quotes and the one it answers, its author, and four pictures. */
const MOST_BESIDE = { post: 2, user: 1, media: 4 };

/** The most that so many posts can cost. */
export function worstCost(posts: number): number {
  return costOf({
    posts: posts * (1 + MOST_BESIDE.post),
    users: posts * MOST_BESIDE.user,
    media: posts * MOST_BESIDE.media,
  });
}

/** What was read twice on a day is charged once there; here twice, since that is promised only softly. */
export function costOf({ posts, users, media }: { posts: number; users: number; media: number }): number {
  return posts * PRICE.post + users * PRICE.user + media * PRICE.media;
}
