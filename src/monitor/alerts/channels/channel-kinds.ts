import { Refused } from '../../../domain/errors.ts';
import { DELIVERY_CODES, type DeliveryCode } from '../../../store/alerts/delivery-rows.ts';
import type { ChannelKind } from './channel-kind.ts';
import { webhookKind } from './webhook.ts';

/** Every kind of channel, by the word it is stored under. */
export const CHANNEL_KINDS: Readonly<Record<string, ChannelKind>> = {
  webhook: webhookKind,
};

/** @throws Refused `unavailable` where a row names a kind that this version does not have */
export function requireKind(name: string): ChannelKind {
  const kind = CHANNEL_KINDS[name];
  if (kind === undefined) throw new Refused('unavailable', describeMissingKind(name));
  return kind;
}

export function describeMissingKind(name: string): string {
  return `this version of strandline has no channels of the kind "${name}"`;
}

/** What a failure means to a person, as the kind of its channel says it. */
export function describeDeliveryCode(kind: string, code: DeliveryCode): string {
  return CHANNEL_KINDS[kind]?.words.failures[code] ?? DELIVERY_CODES[code];
}
