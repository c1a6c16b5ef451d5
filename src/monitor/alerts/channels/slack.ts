/**
 * Incoming webhooks of Slack, and of Mattermost and Rocket.Chat, which read the same body. In one text, not in blocks, which
 * only Slack knows.
 */

import { parseWebUrl } from '../../../model/links/link.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { DeliveryCode } from '../../../model/alerts.ts';
import type { ChannelKind } from './channel-kind.ts';
import {
  breakMentions,
  type ChatFormat,
  defineSecretAddress,
  postJson,
  readMember,
  renderItems,
  renderTitle,
} from './chat-message.ts';
import { fitSummary, summarizeMessage } from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';

/** Characters: what Slack recommends; Rocket.Chat refuses more than 5,000 by default. Mattermost makes it longer by a few. */
const MAX_TEXT_LENGTH = 3_900;

/** @param resolve resolves host names; replaced in tests */
function createSlackKind(resolve: Resolve): ChannelKind<'slack_secret_url'> {
  return {
    settings: {
      slack_secret_url: defineSecretAddress('slack_secret_url', {
        description: 'Incoming webhook URL of Slack, Mattermost or Rocket.Chat.',
        label: 'Incoming webhook URL',
        example: 'https://hooks.slack.com/services/T000/B000/XXXX',
      }),
    },
    recognize: (pasted) => (findDialect(pasted) === null ? null : { slack_secret_url: pasted }),
    hosts: /(^|\.)slack(-gov)?\.com$/,
    assertReachable: ({ slack_secret_url: url }, means) =>
      assertAddressReachable('slack_secret_url', url, means, resolve),
    // One message per second and webhook.
    paceMs: 1_000,
    contentType: 'application/json',
    compose: (message) =>
      fitSummary(
        summarizeMessage(message),
        (summary) =>
          JSON.stringify({
            text: `${renderTitle(summary, MRKDWN)}\n\n${renderItems(summary, MRKDWN)}`,
            unfurl_links: false,
            unfurl_media: false,
          }),
        (body) => body.length <= MAX_TEXT_LENGTH,
      ),
    send: ({ id, body, at }, { settings: { slack_secret_url: url } }, means) =>
      postJson(url, { id, body: translateBody(body, findDialect(url)), at }, means, resolve, { readReply }),
    createSecret: null,
    words: {
      name: 'Slack, Mattermost, Rocket.Chat',
      target: 'Incoming webhook',
      lead: 'Posts messages to a channel of Slack, Mattermost or Rocket.Chat.',
      secret: null,
      failures: {
        gone: 'the chat no longer accepts messages at this address: the webhook was removed or disabled, or its channel archived',
        rejected: 'the chat does not accept this message',
      },
    },
  };
}

export const slackKind = createSlackKind(systemResolve);

type Dialect = 'slack' | 'mattermost' | 'rocketchat';

/** The dialect of an address, by its form; null for other addresses. */
function findDialect(address: string): Dialect | null {
  const url = parseWebUrl(address);
  if (url === null) return null;
  if (/(^|\.)slack(-gov)?\.com$/.test(url.hostname)) return 'slack';
  if (/\/hooks\/[a-z0-9]{26}\/?$/.test(url.pathname)) return 'mattermost';
  return /\/hooks\/[A-Za-z0-9]{17,24}\/[A-Za-z0-9]{20,}\/?$/.test(url.pathname) ? 'rocketchat' : null;
}

/**
 * Slack has no escape for its markup, except for `&`, `<` and `>`. Signs that look alike work in all three. So each `*` in a body is
 * ours.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '*': '\u2217',
  '`': '\u02cb',
  '~': '\u223c',
  '\\': '\u2216',
  '[': '\uff3b',
  ']': '\uff3d',
  '|': '\u2223',
  _: '\u02cd',
};
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** An underscore inside a word is no markup. */
const MARKUP = /[*`~\\[\]|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

const MRKDWN: ChatFormat = {
  escape: (text) => escapeEntities(breakMentions(text.replace(MARKUP, (sign) => LOOKALIKES[sign] ?? sign))),
  strong: (text) => `*${text}*`,
  link: (text, url) => `<${escapeEntities(url)}|${text}>`,
};

/** Mattermost writes bold text with two stars; Rocket.Chat does not decode `&amp;`, `&lt;` and `&gt;`. */
function translateBody(body: string, dialect: Dialect | null): string {
  if (dialect === 'mattermost') return body.replaceAll('*', '**');
  if (dialect !== 'rocketchat') return body;
  return body.replaceAll('&lt;', '\u2039').replaceAll('&gt;', '\u203a').replaceAll('&amp;', '&');
}

/** Words of replies: the body of Slack, `id` of Mattermost, `error` of Rocket.Chat. */
const REPLY_WORDS: readonly (readonly [RegExp, DeliveryCode])[] = [
  [
    /^(no_service|no_service_id|no_team|team_disabled|invalid_token|no_active_hooks|channel_not_found|channel_is_archived|user_not_found|action_prohibited|posting_to_general_channel_denied)$/,
    'gone',
  ],
  [
    /^(invalid_payload|invalid_blocks\w*|no_text|msg_too_long|too_many_attachments|missing_text\w*)$/,
    'rejected',
  ],
  [/^web\.incoming_webhook\.(invalid|disabled|channel|channel_locked|permissions|user)\.app_error$/, 'gone'],
  [/^store\.sql_webhooks\.get_incoming\.app_error$/, 'gone'],
  [/^web\.incoming_webhook\.(parse|text|text\.length|attachment)\.app_error$/, 'rejected'],
  [/^(invalid-channel|invalid-room|error-room-archived|error-not-allowed)$/, 'gone'],
  [/^Invalid integration id/i, 'gone'],
  [/^error-message-size-exceeded$/, 'rejected'],
];

function readReply({ status, text, json }: Reply): ReplyMeaning | null {
  if (status < 400 || status === 429) return null;
  const words = [
    text.trim(),
    readMember(json, 'id'),
    readMember(json, 'error'),
    readMember(json, 'errorType'),
  ];
  const match = REPLY_WORDS.find(([word]) =>
    words.some((each) => typeof each === 'string' && word.test(each)),
  );
  return match === undefined ? null : { code: match[1] };
}
