/** Microsoft Teams: an Adaptive Card that a workflow posts ("When a Teams webhook request is received"). */

import { parseWebUrl } from '../../../model/links/link.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import { breakMentions, defineSecretAddress, listLinks, postJson, readMember } from './chat-message.ts';
import {
  describeMore,
  describeOrigin,
  fitSummary,
  type MessageSummary,
  type SummaryItem,
  summarizeMessage,
} from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';

/** Teams accepts about 28 KB, with what the workflow adds. */
const MAX_BODY_BYTES = 24_000;

/** @param resolve resolves host names; replaced in tests */
function createTeamsKind(resolve: Resolve): ChannelKind<'teams_secret_url'> {
  return {
    settings: {
      teams_secret_url: defineSecretAddress('teams_secret_url', {
        description: 'Address of a workflow of Microsoft Teams that posts to a channel or chat.',
        label: 'Workflow URL',
        example:
          'https://prod-01.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke?sig=XXXX',
      }),
    },
    recognize: (pasted) => (isTeamsAddress(pasted) ? { teams_secret_url: pasted } : null),
    hosts: /(^|\.)webhook\.office\.com$/,
    assertReachable: ({ teams_secret_url: url }, means) =>
      assertAddressReachable('teams_secret_url', url, means, resolve),
    // Four requests per second.
    paceMs: 250,
    contentType: 'application/json',
    compose: (message) =>
      fitSummary(
        summarizeMessage(message),
        (summary) => JSON.stringify({ type: 'message', attachments: [describeCard(summary)] }),
        (body) => Buffer.byteLength(body) <= MAX_BODY_BYTES,
      ),
    send: (message, { settings: { teams_secret_url: url } }, means) =>
      postJson(url, message, means, resolve, { readReply }),
    createSecret: null,
    words: {
      name: 'Microsoft Teams',
      target: 'Workflow',
      lead: 'Posts cards to a channel or chat of Microsoft Teams, by a workflow.',
      secret: null,
      failures: {
        gone: 'the workflow accepts no messages: it was deleted or turned off, or its address has changed',
        rejected: 'the workflow does not accept this message',
      },
    },
  };
}

export const teamsKind = createTeamsKind(systemResolve);

/** Addresses of workflows, old and new, and of the connectors that workflows replace. */
const TEAMS_HOSTS = /(^|\.)(logic\.azure\.(com|us)|api\.powerplatform\.com|webhook\.office\.com)$/;

function isTeamsAddress(address: string): boolean {
  const url = parseWebUrl(address);
  if (url === null || !TEAMS_HOSTS.test(url.hostname)) return false;
  return /\/workflows\/|\/webhookb2\//.test(url.pathname);
}

function describeCard(summary: MessageSummary): object {
  const { title, lead, items, url, actions } = summary;
  const open = url === null ? [] : [{ label: 'Open in strandline', url }];
  const buttons = [...open, ...actions].map((action) => ({
    type: 'Action.OpenUrl',
    title: action.label,
    url: action.url,
  }));
  const more = describeMore(summary);
  return {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      msteams: { width: 'Full' },
      body: [
        describeText(title, { weight: 'Bolder', size: 'Medium' }),
        ...(lead === null ? [] : [describeText(lead)]),
        ...items.map(describeItem),
        ...(more === null ? [] : [describeText(more, { isSubtle: true })]),
      ],
      ...(buttons.length === 0 ? {} : { actions: buttons }),
    },
  };
}

function describeItem(item: SummaryItem): object {
  const { title, text } = item;
  const origin = describeOrigin(item);
  const links = listLinks(item).map(({ label, url }) => `[${label}](${url})`);
  return {
    type: 'Container',
    separator: true,
    spacing: 'Medium',
    items: [
      ...(title === null ? [] : [describeText(title, { weight: 'Bolder' })]),
      ...(text === null ? [] : [describeText(text)]),
      ...(origin === '' ? [] : [describeText(origin, { isSubtle: true, size: 'Small' })]),
      // Markdown, with our words only.
      ...(links.length === 0
        ? []
        : [{ type: 'TextBlock', text: links.join(' · '), wrap: true, size: 'Small', spacing: 'Small' }]),
    ],
  };
}

/** Outside text, in an element without Markdown. */
function describeText(text: string, style: object = {}): object {
  const shown = breakMentions(text).replace(/<(?=\/?at\b)/gi, '<\u200b');
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: shown, ...style }] };
}

/** The reply of a connector, with status 200, when Teams refused the card. */
const CONNECTOR_FAILURE =
  /Webhook message delivery failed with error.*?(?:HTTP error|status code:?) ?(\d{3})?/is;

function readReply({ status, text, json }: Reply): ReplyMeaning | null {
  const failure = status === 200 ? CONNECTOR_FAILURE.exec(text) : null;
  if (failure !== null) {
    if (failure[1] === '429') return { code: 'slow_down' };
    return { code: failure[1] === '413' ? 'rejected' : 'broken' };
  }
  if (status === 401 || status === 403 || status === 404) return { code: 'gone' };
  const code = readMember(json, 'error', 'code');
  if (status === 400 && typeof code === 'string' && /NotEnabled|Disabled|Suspended|NotFound/i.test(code))
    return { code: 'gone' };
  return status === 400 || status === 413 ? { code: 'rejected' } : null;
}
