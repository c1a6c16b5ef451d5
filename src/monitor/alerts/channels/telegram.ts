/** A bot of Telegram that writes to one chat. */

import { InvalidInput, HIDDEN } from '../../../model/errors.ts';
import { parseWebUrl } from '../../../model/links/link.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import {
  addMembers,
  breakMentions,
  type ChatFormat,
  postJson,
  readMember,
  readSeconds,
  renderItems,
  renderTitle,
} from './chat-message.ts';
import { fitSummary, summarizeMessage } from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';
import { z } from 'zod';

/** Characters. Telegram counts them without markup and entities; here they count, too. */
const MAX_TEXT_LENGTH = 4_096;
const TOKEN = /\d{6,12}:[\w-]{30,64}/;
const CHAT = /-?\d{1,16}|@[A-Za-z]\w{3,31}/;

type Name = 'telegram_chat' | 'telegram_token';

/**
 * @param resolve resolves host names; replaced in tests
 * @param origin address of the Bot API; replaced in tests
 */
export function createTelegramKind(resolve: Resolve, origin = 'https://api.telegram.org'): ChannelKind<Name> {
  return {
    settings: {
      telegram_chat: {
        shape: z
          .string()
          .max(64)
          .regex(matchWhole(CHAT))
          .describe('Chat id, such as -1001234567890, or @name of a public channel.'),
        label: 'Chat',
        help: 'Id of the chat, or @name of a public channel. Add the bot to it first.',
        input: 'text',
        example: '-1001234567890',
        secret: false,
      },
      telegram_token: {
        shape: z.string().max(100).regex(matchWhole(TOKEN)).describe('Bot token from @BotFather.'),
        label: 'Bot token',
        help: 'From @BotFather.',
        input: 'text',
        example: '123456789:AAExampleExampleExampleExampleExample',
        secret: true,
        read: (text) => text.trim().replace(/^bot(?=\d)/, ''),
      },
    },
    recognize,
    hosts: /^api\.telegram\.org$/,
    assertReachable: (_settings, means) =>
      assertAddressReachable('telegram_token', origin, means, resolve).catch((error: unknown) => {
        if (!(error instanceof InvalidInput)) throw error;
        const expected = `a connection to ${new URL(origin).host}, which is not allowed: ${error.problems[0]?.expected ?? ''}`;
        throw new InvalidInput([{ path: 'telegram_token', given: HIDDEN, expected }]);
      }),
    // Twenty messages per minute in a group.
    paceMs: 3_000,
    contentType: 'application/json',
    compose: (message) =>
      JSON.stringify(
        fitSummary(
          summarizeMessage(message),
          (summary) => ({
            text: `${renderTitle(summary, HTML)}\n\n${renderItems(summary, HTML)}`,
            parse_mode: 'HTML',
            link_preview_options: { is_disabled: true },
          }),
          ({ text }) => text.length <= MAX_TEXT_LENGTH,
        ),
      ),
    send: ({ id, body, at }, { settings: { telegram_token: token, telegram_chat: chat } }, means) => {
      // The chat is not in the stored body, so that waiting messages go to the new one after a change.
      const addressed = addMembers(body, { chat_id: chat });
      return postJson(`${origin}/bot${token}/sendMessage`, { id, body: addressed, at }, means, resolve, {
        readReply,
      });
    },
    createSecret: null,
    words: {
      name: 'Telegram',
      target: 'Chat',
      lead: 'Sends messages to a chat of Telegram, by your own bot.',
      secret: null,
      failures: {
        gone: 'Telegram refuses messages to this chat: the token is not valid, the chat does not exist, or the bot was blocked or removed',
        rejected: 'Telegram does not accept this message',
      },
    },
  };
}

export const telegramKind = createTelegramKind(systemResolve);

function matchWhole({ source }: RegExp): RegExp {
  return new RegExp(`^(?:${source})$`);
}

const PASTED = new RegExp(`^(?:bot)?(${TOKEN.source})(?:[\\s,/@]+(${CHAT.source}))?$`);

/** A token, alone or with the chat behind it, or an address of the Bot API with both. */
function recognize(pasted: string): Partial<Record<Name, string>> | null {
  const url = parseWebUrl(pasted);
  const isAddress = url?.hostname === 'api.telegram.org';
  const token = isAddress ? url.pathname.split('/')[1] : undefined;
  const match = PASTED.exec(isAddress ? decodeURIComponent(token ?? '') : pasted);
  if (match === null) return null;
  const chat = isAddress ? (url.searchParams.get('chat_id') ?? undefined) : match[2];
  return { telegram_token: match[1] ?? '', ...(chat === undefined ? {} : { telegram_chat: chat }) };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

const HTML: ChatFormat = {
  escape: (text) => escapeHtml(breakMentions(text)),
  strong: (text) => `<b>${text}</b>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${text}</a>`,
};

/** Descriptions of 400 that are about the message, not the chat. */
const ABOUT_MESSAGE = /can't parse|message (text )?is (too long|empty)|message_too_long|entit/i;
/** Descriptions of 400 that are about the chat. */
const ABOUT_CHAT =
  /chat not found|user not found|chat_id is empty|upgraded to a supergroup|rights|forbidden|not a member|deactivated|topic|thread not found|peer_id_invalid|CHAT_\w+|was kicked|was blocked/i;

function readReply({ status, json }: Reply): ReplyMeaning | null {
  const said = readMember(json, 'description');
  const description = typeof said === 'string' ? said : '';
  if (status === 429)
    return { code: 'slow_down', retryAfterMs: readSeconds(readMember(json, 'parameters', 'retry_after')) };
  if (status === 401 || status === 403 || (status === 404 && readMember(json, 'ok') === false))
    return { code: 'gone' };
  if (status === 400 && !ABOUT_MESSAGE.test(description) && ABOUT_CHAT.test(description)) {
    const moved = readMember(json, 'parameters', 'migrate_to_chat_id');
    if (typeof moved !== 'number') return { code: 'gone' };
    return { code: 'gone', detail: `the group now has the chat id ${moved}` };
  }
  return status === 400 || status === 413 ? { code: 'rejected' } : null;
}
