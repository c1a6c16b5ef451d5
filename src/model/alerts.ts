/** Closed lists of rules, channels and deliveries. Stored: only add to them. */

/** Kinds of discoveries that a rule reports; `answer` are completions that say something new. */
export const RULE_KINDS = ['post', 'link', 'spike', 'trend', 'answer'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

export const RULE_STATES = ['active', 'paused'] as const;

export const CHANNEL_STATES = ['active', 'paused', 'disabled'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export const DELIVERY_STATES = ['gathering', 'pending', 'delivered', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why a message is not sent at once, the strongest first: it waits for the end of a mute, the next day, and so on. */
export const WAIT_REASONS = ['mute', 'limit', 'quiet_hours', 'cooldown'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];
