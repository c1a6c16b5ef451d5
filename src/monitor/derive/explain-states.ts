/** Explains changes of the state of searches: what came with them, or what stopped. */
import { DAY } from '../../lib/time.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import { readSilentService } from '../../store/derive/silent-service.ts';
import type { NewTrendState } from '../../store/derive/trend-reports.ts';
import { runCooperatively } from '../../platform/run-cooperatively.ts';
import { readWindowPosts } from '../../store/volume/window-posts.ts';
import { composeReason } from '../trends/rules/reason-sentence.ts';
import { findReasonInSteps } from '../trends/rules/spike-reason.ts';
import { composeStopped, findStopped } from '../trends/rules/stopped-reason.ts';

const COMPARED_MS = 7 * DAY;
/** The newest posts of each time that are compared. */
const MAX_POSTS = 2_000;

const UNEXPLAINED = {
  reason: null,
  reason_name: null,
  reason_share: null,
  reason_share_before: null,
  reason_post_id: null,
  reason_post_at: null,
  why: null,
} satisfies Partial<NewTrendState>;

/** What a state stores about its cause. */
type Explained = Pick<NewTrendState, keyof typeof UNEXPLAINED>;

/** @param until up to when posts are observed */
export async function explainState(
  tx: Transaction,
  searchId: Id,
  {
    state,
    since,
    rate,
    rate_before,
    tz,
  }: Pick<NewTrendState, 'state' | 'since' | 'rate' | 'rate_before' | 'tz'>,
  until: Date,
): Promise<Explained> {
  if (state === 'normal') return UNEXPLAINED;
  const weekBefore = new Date(since.getTime() - COMPARED_MS);
  const before = await readWindowPosts(tx, [searchId], { from: weekBefore, until: since, most: MAX_POSTS });
  const after = await readWindowPosts(tx, [searchId], { from: since, until, most: MAX_POSTS });
  if (state === 'rising' || (state === 'new_level' && (rate ?? 0) >= (rate_before ?? 0))) {
    if (after.length === 0) return UNEXPLAINED;
    const {
      rest: _rest,
      names: _names,
      window_authors,
      ...reason
    } = await runCooperatively(findReasonInSteps(after, before));
    // What is stored names nobody.
    const facts = {
      ...reason,
      reason_author_username: null,
      n_without_reason: null,
      window_authors,
      usual: 0,
      tz,
    };
    return { ...reason, why: composeReason(facts) };
  }
  if (before.length === 0) return UNEXPLAINED;
  const silent = state === 'silent' ? await readSilentService(tx, searchId, since, COMPARED_MS) : null;
  if (silent !== null)
    return {
      ...UNEXPLAINED,
      reason: 'service',
      reason_name: silent.service,
      why: `The service: none of the ${silent.searches} other searches of "${silent.service}" that usually find posts has found one since then, either.`,
    };
  const spanOf = (posts: typeof before, from: Date, end: Date) => {
    // Of a busy search, the newest posts are of a shorter time.
    const first = posts.length < MAX_POSTS ? from.getTime() : (posts[0]?.at ?? from.getTime());
    return { posts, ms: Math.max(1, end.getTime() - first) };
  };
  const stopped = findStopped(spanOf(before, weekBefore, since), spanOf(after, since, until));
  return {
    ...UNEXPLAINED,
    reason: stopped.reason,
    ...(stopped.reason === 'none'
      ? {}
      : {
          reason_name: stopped.name,
          reason_share: stopped.share,
          reason_post_id: stopped.last.id,
          reason_post_at: new Date(stopped.last.at),
        }),
    why: composeStopped(stopped, tz),
  };
}
