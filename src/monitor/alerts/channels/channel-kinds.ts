import type { ChannelKind } from './channel-kind.ts';
import { webhookKind } from './webhook.ts';

/** Every kind of channel, by the word it is stored under. */
export const CHANNEL_KINDS: Readonly<Record<'webhook', ChannelKind>> = { webhook: webhookKind };
