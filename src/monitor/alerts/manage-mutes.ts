/**
 * Mutes a rule, a topic in all messages, or everything until a time. Collection and evaluation go on; when the mute ends, also
 * early, one message for each rule and channel sums up what it held back (`gather-discoveries.ts`, `postpone-delivery.ts`).
 */
import type { FutureTime } from '../../lib/future-time.ts';
import { createNotFound, InvalidInput } from '../../model/errors.ts';
import { DAY } from '../../lib/time.ts';
import type { MuteScope } from '../../model/alerts.ts';
import { lockRuleChannels } from '../../store/alerts/channel-rows.ts';
import { reconsiderWaiting } from '../../store/alerts/gathering-rows.ts';
import { listMutes, lockAllChannels, type MuteRow, setMute } from '../../store/alerts/mutes.ts';
import { findRule } from '../../store/alerts/rule-rows.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import type { ActingContext } from '../context.ts';
import { requireTopic } from '../topics/find-by-slug.ts';
import { enqueueChannels } from './enqueue-channels.ts';

/** A mute has an end, so that it is not forgotten; to stop messages for good, pause the rule. */
const MAX_MUTE_DAYS = 366;

/** What is muted; everything has no slug. */
export type MuteTarget = { scope: 'all' } | { scope: Exclude<MuteScope, 'all'>; slug: string };

/** @throws Refused `not_found` @throws InvalidInput for a time that is over, or more than 366 days ahead */
export async function mute(ctx: ActingContext, target: MuteTarget, until: FutureTime): Promise<MuteRow> {
  const now = ctx.clock.now();
  const end = until.resolve(now);
  if (end <= now || end.getTime() > now.getTime() + MAX_MUTE_DAYS * DAY)
    throw new InvalidInput([
      { path: 'until', given: until.input, expected: `a time to come, at most ${MAX_MUTE_DAYS} days ahead` },
    ]);
  const slug = await changeMute(ctx, target, end, now);
  const mutes = await listMutes(ctx.db, now);
  return (
    mutes.find((row) => row.scope === target.scope && row.slug === slug) ?? {
      scope: target.scope,
      slug,
      until: end,
      held: 0,
    }
  );
}

/** Ends a mute now. @returns the mute as it was; null if there was none @throws Refused `not_found` */
export async function unmute(ctx: ActingContext, target: MuteTarget): Promise<MuteRow | null> {
  const now = ctx.clock.now();
  const slug = await inTransaction(ctx.db, async (tx) => (await findTarget(tx, target)).slug);
  const before = (await listMutes(ctx.db, now)).find(
    (row) => row.scope === target.scope && row.slug === slug,
  );
  if (before !== undefined) await changeMute(ctx, target, now, now);
  return before ?? null;
}

/** @returns the slug as it is now */
async function changeMute(
  ctx: ActingContext,
  target: MuteTarget,
  end: Date,
  now: Date,
): Promise<string | null> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    const { id, slug } = await findTarget(tx, target);
    // Otherwise a worker that decides at the same time would still use the former end of the mute.
    const channels =
      target.scope === 'rule' && id !== null
        ? (await lockRuleChannels(tx, id)).map((channel) => channel.id)
        : await lockAllChannels(tx);
    const before = await setMute(tx, { scope: target.scope, id, until: end, now });
    await reconsiderWaiting(tx, target.scope === 'rule' ? id : null, now);
    await recordAudit(tx, ctx, {
      action: `${target.scope === 'all' ? 'alerts' : target.scope}.${end > now ? 'muted' : 'unmuted'}`,
      subject: slug,
      changes: {
        muted_until: {
          before: before !== null && before > now ? before : null,
          after: end > now ? end : null,
        },
      },
    });
    return { slug, channels };
  });
  await enqueueChannels(ctx, changed.channels);
  return changed.slug;
}

async function findTarget(
  tx: Transaction,
  target: MuteTarget,
): Promise<{ id: Id | null; slug: string | null }> {
  if (target.scope === 'all') return { id: null, slug: null };
  if (target.scope === 'topic') return requireTopic(tx, target.slug);
  const rule = await findRule(tx, target.slug);
  if (rule === null) throw createNotFound('rule', target.slug);
  return rule;
}
