/** Closed lists of rules, channels and deliveries. Stored: only add to them. */

export const RULE_KINDS = ['post', 'link', 'spike', 'trend'] as const;
/** Kinds of discoveries that a rule reports. */
export type RuleKind = (typeof RULE_KINDS)[number];

export const RULE_STATES = ['active', 'paused'] as const;

export const CHANNEL_STATES = ['active', 'paused', 'disabled'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export const DELIVERY_STATES = ['gathering', 'pending', 'delivered', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
