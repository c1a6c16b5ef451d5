/** Closed lists of rules, channels and deliveries. Stored: only add to them. */

/**
 * What a rule reports; `answer`: completions that say something new, `growth`: posts whose counters pass a number,
 * `name`: names that enter answers or leave them.
 */
export const RULE_KINDS = ['post', 'link', 'spike', 'trend', 'answer', 'growth', 'name'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** What each kind of rule reports, one of it. */
export const KIND_NOUNS: Readonly<Record<RuleKind, string>> = {
  post: 'post',
  link: 'link',
  spike: 'spike',
  trend: 'trend',
  answer: 'changed answer',
  growth: 'growing post',
  name: 'name in answers',
};

/** The rule that reports problems of strandline itself. It exists from the start and cannot be removed. */
export const SYSTEM_RULE = 'system';
/** Kinds of all rules: `system` is that of the rule `system` alone. */
export const STORED_RULE_KINDS = [...RULE_KINDS, 'system'] as const;
export type StoredRuleKind = (typeof STORED_RULE_KINDS)[number];

export const RULE_STATES = ['active', 'paused'] as const;

export const CHANNEL_STATES = ['active', 'paused', 'disabled'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export const DELIVERY_STATES = ['gathering', 'pending', 'delivered', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why a message is not sent at once, the strongest first: it waits for the end of a mute, the next day, and so on. */
export const WAIT_REASONS = ['mute', 'limit', 'quiet_hours', 'cooldown'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** Problems of strandline itself. */
export const SYSTEM_EVENT_KINDS = [
  'search_failing',
  'search_stopped',
  'search_silent',
  'nothing_coming',
  'source_down',
  'channel_dead',
  'budget_low',
  'worker_stopped',
  'nothing_ran',
] as const;
export type SystemEventKind = (typeof SYSTEM_EVENT_KINDS)[number];

/**
 * How a problem ended: by itself or by a repair, because another problem of the same search took its place, because somebody
 * paused or removed its subject, or because its day is over.
 */
export const SYSTEM_EVENT_OUTCOMES = ['recovered', 'replaced', 'paused', 'removed', 'day_ended'] as const;
export type SystemEventOutcome = (typeof SYSTEM_EVENT_OUTCOMES)[number];

/** The parts of a problem that are reported. */
const SYSTEM_EVENT_PARTS = ['beginning', 'end'] as const;
export type SystemEventPart = (typeof SYSTEM_EVENT_PARTS)[number];

/** What can be muted: the messages of a rule, discoveries of a topic, and everything. */
export const MUTE_SCOPES = ['rule', 'topic', 'all'] as const;
export type MuteScope = (typeof MUTE_SCOPES)[number];

/** All failure codes of delivery attempts, with descriptions. Codes are stored: only add new ones. */
export const DELIVERY_CODES = {
  http_status: 'the receiver answered with a status that is no success',
  redirect: 'the receiver redirected; redirects are not followed',
  gone: 'the receiver answered 410: it wants no more messages',
  rejected: 'the receiver refused this message permanently',
  slow_down: 'the receiver asked to be left alone for a while',
  timeout: 'the receiver did not answer within the time limit',
  dns: 'the name of the host could not be looked up',
  refused: 'nothing listens at the address, or it cannot be reached',
  broken: 'the connection broke before an answer came',
  tls: 'the certificate of the receiver is not valid',
  address: 'the address does not lead to a public host, and CHANNELS_ALLOW does not name it',
  auth: 'the receiver refused the login',
  deferred: 'the receiver did not accept the message yet',
  setup: 'this process lacks a setting that channels of this kind need',
  secret: 'the secret of the channel cannot be opened with the master key of this process',
  internal: 'strandline itself failed',
} as const;

export type DeliveryCode = keyof typeof DELIVERY_CODES;
/** Every {@link DeliveryCode}. */
export const DELIVERY_CODE_NAMES = Object.keys(DELIVERY_CODES) as [DeliveryCode, ...DeliveryCode[]]; // Object.keys forgets the key type
