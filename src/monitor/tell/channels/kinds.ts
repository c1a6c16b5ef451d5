import type { ChannelKind } from './channel.ts';
import { webhook } from './webhook.ts';

/** Every kind of channel, by the word it is stored under. */
export const KINDS: Readonly<Record<'webhook', ChannelKind>> = { webhook };
