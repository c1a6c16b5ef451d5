/** Webhooks of Discord: one embed, whose text mentions nobody. */

import { parseWebUrl } from '../../../model/links/link.ts';
import { truncateText } from '../../../lib/text.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import {
  breakMentions,
  type ChatFormat,
  defineSecretAddress,
  postJson,
  readMember,
  readSeconds,
  renderItems,
} from './chat-message.ts';
import { fitSummary, summarizeMessage } from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';

/** Characters of the text of an embed; its title has at most 256, and all embeds of a message 6,000. */
const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_TITLE_LENGTH = 256;

/** @param resolve resolves host names; replaced in tests */
function createDiscordKind(resolve: Resolve): ChannelKind<'discord_secret_url'> {
  return {
    settings: {
      discord_secret_url: defineSecretAddress('discord_secret_url', {
        description: 'Webhook URL of a Discord channel.',
        label: 'Webhook URL',
        example: 'https://discord.com/api/webhooks/1234567890/XXXX',
      }),
    },
    recognize: (pasted) => (isDiscordAddress(pasted) ? { discord_secret_url: pasted } : null),
    hosts: /^((ptb|canary)\.)?discord(app)?\.com$/,
    assertReachable: ({ discord_secret_url: url }, means) =>
      assertAddressReachable('discord_secret_url', url, means, resolve),
    // Thirty messages per minute and channel.
    paceMs: 2_000,
    contentType: 'application/json',
    compose: (message) =>
      JSON.stringify(
        fitSummary(
          summarizeMessage(message),
          (summary) => ({
            allowed_mentions: { parse: [] },
            embeds: [
              {
                title: escapeTitle(summary.title),
                ...(summary.url === null ? {} : { url: summary.url }),
                description: renderItems(summary, MARKDOWN),
                timestamp: message.timestamp,
              },
            ] as const,
          }),
          ({ embeds: [{ description }] }) => description.length <= MAX_DESCRIPTION_LENGTH,
        ),
      ),
    send: (message, { settings: { discord_secret_url: url } }, means) =>
      postJson(url, message, means, resolve, { readReply }),
    createSecret: null,
    words: {
      name: 'Discord',
      target: 'Webhook',
      lead: 'Posts messages to a channel of Discord.',
      secret: null,
      failures: {
        gone: 'Discord no longer accepts messages at this address: the webhook or its channel was deleted',
        rejected: 'Discord does not accept this message',
      },
    },
  };
}

export const discordKind = createDiscordKind(systemResolve);

function isDiscordAddress(address: string): boolean {
  const url = parseWebUrl(address);
  if (url === null || !/^((ptb|canary)\.)?discord(app)?\.com$/.test(url.hostname)) return false;
  return /^\/api(\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/.test(url.pathname);
}

const MARKDOWN: ChatFormat = {
  escape: (text) => breakMentions(text.replace(/[\\*_~`|<>[\]()#-]/g, '\\$&')),
  strong: (text) => `**${text}**`,
  link: (text, url) => `[${text}](${url})`,
};

/** Escaping at most doubles a text. */
function escapeTitle(title: string): string {
  const escaped = MARKDOWN.escape(title);
  const isShort = escaped.length <= MAX_TITLE_LENGTH;
  return isShort ? escaped : MARKDOWN.escape(truncateText(title, MAX_TITLE_LENGTH / 2));
}

/** Codes of the JSON error: unknown channel, unknown webhook, invalid webhook token. */
const GONE_CODES: ReadonlySet<unknown> = new Set([10_003, 10_015, 50_027]);

function readReply({ status, json }: Reply): ReplyMeaning | null {
  if (status === 429)
    return { code: 'slow_down', retryAfterMs: readSeconds(readMember(json, 'retry_after')) };
  if (status === 401 || GONE_CODES.has(readMember(json, 'code'))) return { code: 'gone' };
  return status === 400 || status === 413 ? { code: 'rejected' } : null;
}
