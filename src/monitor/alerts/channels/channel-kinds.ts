import { Refused } from '../../../model/errors.ts';
import { DELIVERY_CODES, type DeliveryCode } from '../../../model/alerts.ts';
import type { ChannelKind } from './channel-kind.ts';
import { appriseKind } from './apprise.ts';
import { discordKind } from './discord.ts';
import { emailKind } from './email.ts';
import { ntfyKind } from './ntfy.ts';
import { slackKind } from './slack.ts';
import { teamsKind } from './teams.ts';
import { telegramKind } from './telegram.ts';
import { webhookKind } from './webhook.ts';

/** Every kind of channel, by its stored name. */
export const CHANNEL_KINDS: Readonly<Record<string, ChannelKind>> = {
  webhook: webhookKind,
  email: emailKind,
  slack: slackKind,
  teams: teamsKind,
  discord: discordKind,
  telegram: telegramKind,
  ntfy: ntfyKind,
  apprise: appriseKind,
};

/** @throws Refused `unavailable` for a stored kind that this version does not support */
export function requireKind(name: string): ChannelKind {
  const kind = CHANNEL_KINDS[name];
  if (kind === undefined) throw new Refused('unavailable', describeMissingKind(name));
  return kind;
}

export function describeMissingKind(name: string): string {
  return `this version of strandline does not support channels of kind "${name}"`;
}

/** The message of a delivery failure, for people. */
export function describeDeliveryCode(kind: string, code: DeliveryCode): string {
  return CHANNEL_KINDS[kind]?.words.failures[code] ?? DELIVERY_CODES[code];
}
