/** Notifies somebody about one topic: a channel and a rule, from one address and one choice. */
import { Refused } from '../../model/errors.ts';
import { DAY } from '../../lib/time.ts';
import type { RuleRow } from '../../store/alerts/alert-queries.ts';
import type { ActingContext, Context } from '../context.ts';
import { parseDigestSchedule } from '../schedule/digest-schedule.ts';
import { assertTopicNotRemoved } from '../topics/find-by-slug.ts';
import { backtestNewRule } from './backtest.ts';
import { pickKind } from './channel-settings.ts';
import type { Settings } from './channels/channel-kind.ts';
import { createChannel, type NewChannel } from './manage-channels.ts';
import { createRule } from './manage-rules.ts';
import type { NewRule } from './rule-shapes.ts';

export const NOTICE_KINDS = ['digest', 'spikes'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** When a digest is sent. */
const DIGEST_TIME = 'daily 8:00';

type Notice = {
  topic: string;
  what: NoticeKind;
  /** Time zone of the digest's time. */
  tz: string;
};

/** The rule without its name and channels. */
function describeRule({ topic, what, tz }: Notice): Omit<NewRule, 'slug' | 'channels'> {
  return what === 'digest'
    ? { topic, digest: parseDigestSchedule(DIGEST_TIME), tz }
    : { topic, on: ['spike'], tz };
}

/**
 * @param to a channel that exists, or the settings of a new one as `newChannel` returns them
 * @returns the rule, and the channel if it is new: its secret is shown once
 * @throws InvalidInput, Refused as for a new channel and a new rule; `not_found` or `conflict` if the topic is unknown or removed
 */
export async function notifyAbout(
  ctx: ActingContext,
  notice: Notice,
  to: { channel: string } | { settings: Settings },
): Promise<{ rule: RuleRow; created: NewChannel | null }> {
  // Before a channel is created, which would remain without a rule.
  await assertTopicNotRemoved(ctx.db, notice.topic);
  const created = 'channel' in to ? null : await createNamedChannel(ctx, to.settings);
  const channel = 'channel' in to ? to.channel : (created?.channel.slug ?? '');
  const stem = `${notice.topic.slice(0, 48)}-${notice.what}`;
  const rule = await withFreeSlug(stem, (slug) =>
    createRule(ctx, { ...describeRule(notice), slug, channels: [channel] }),
  );
  return { rule, created };
}

/** Creates a channel that is named after its kind. @throws InvalidInput, Refused as for a new channel */
export function createNamedChannel(ctx: ActingContext, settings: Settings): Promise<NewChannel> {
  return withFreeSlug(pickKind(settings).kindName, (slug) => createChannel(ctx, { ...settings, slug }));
}

const MAX_VARIANTS = 50;

/** Tries `ntfy`, `ntfy-2` and so on, until one is free. */
async function withFreeSlug<T>(stem: string, make: (slug: string) => Promise<T>): Promise<T> {
  for (let n = 1; ; n += 1) {
    try {
      return await make(n === 1 ? stem : `${stem}-${n}`);
    } catch (error) {
      const isTaken =
        error instanceof Refused && error.kind === 'conflict' && /already exists/.test(error.message);
      if (!isTaken || n === MAX_VARIANTS) throw error;
    }
  }
}

/** The last days from which the number of messages a week is estimated. */
const MAX_OBSERVED_DAYS = 14;

/**
 * About how many messages a week the rule would send, from what was observed.
 * @param since when the topic was created
 * @returns null if it was watched for less than a day
 */
export async function estimateWeek(ctx: Context, notice: Notice, since: Date): Promise<number | null> {
  const observed = Math.floor((ctx.clock.now().getTime() - since.getTime()) / DAY);
  // A digest is sent whatever was found.
  const days = notice.what === 'digest' ? 7 : Math.min(MAX_OBSERVED_DAYS, observed);
  if (days < 1) return null;
  const { messages } = await backtestNewRule(ctx, describeRule(notice), days, 0);
  return Math.round((messages.length * 7) / days);
}
