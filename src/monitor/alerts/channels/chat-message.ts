/** Messages to chat services: one composition for all formats of text, and the POST of a body in JSON. */

import { readWebAddress, type Resolve } from '../../../platform/network.ts';
import type { OutgoingMessage, SendOptions, SendResult, Setting } from './channel-kind.ts';
import { describeMore, describeOrigin, type MessageSummary, type SummaryItem } from './message-summary.ts';
import { postMessage, type Reply, type ReplyMeaning } from './post-message.ts';
import { z } from 'zod';

/** A format of text. */
export type ChatFormat = {
  /** Outside text, so that it has no markup and mentions nobody. */
  escape(text: string): string;
  /** @param escaped text that `escape` returned, or that is ours */
  strong(escaped: string): string;
  /** @param escaped as for `strong` @param url a web address of a summary */
  link(escaped: string, url: string): string;
};

const INVISIBLE_SPACE = '\u200b';

/** Separates the sign from the name: no service reads a mention then, and people see the same text. */
export function breakMentions(text: string): string {
  return text.replace(/[@\uff20\ufe6b]/g, `$&${INVISIBLE_SPACE}`);
}

/** The title, as a link to the list. */
export function renderTitle({ title, url }: MessageSummary, format: ChatFormat): string {
  const escaped = format.escape(title);
  return format.strong(url === null ? escaped : format.link(escaped, url));
}

/** What follows the title: items, and how many more there are. */
export function renderItems(summary: MessageSummary, format: ChatFormat): string {
  const { lead, items, url, actions } = summary;
  const more = describeMore(summary);
  const links = actions.map((action) => format.link(action.label, action.url)).join(' · ');
  return [
    ...(lead === null ? [] : [format.escape(lead)]),
    ...items.map((item) => renderItem(item, format)),
    ...(more === null ? [] : [url === null ? format.escape(more) : format.link(format.escape(more), url)]),
    ...(links === '' ? [] : [links]),
  ].join('\n\n');
}

/** Title or text, then text below a title, then origin and links. No line begins with outside text, which could be markup there. */
function renderItem(item: SummaryItem, format: ChatFormat): string {
  const { title, text } = item;
  const lines = [
    ...(title === null ? [] : [format.strong(format.escape(title))]),
    ...(text === null ? [] : [format.escape(text)]),
    renderOrigin(item, format),
  ].filter((line) => line !== '');
  return lines.map((line, i) => `${i === 0 ? '•' : '\u2003'} ${line}`).join('\n');
}

function renderOrigin(item: SummaryItem, format: ChatFormat): string {
  const origin = describeOrigin(item);
  const links = listLinks(item).map(({ label, url }) => format.link(label, url));
  return [...(origin === '' ? [] : [format.escape(origin)]), ...links].join(' · ');
}

/** Links of an item: to the thing, to our page about it, and to what a person can do about it. */
export function listLinks({ url, page, action }: SummaryItem): { label: string; url: string }[] {
  return [
    ...(url === null ? [] : [{ label: 'Original', url }]),
    ...(page === null ? [] : [{ label: 'Details', url: page }]),
    ...(action === null ? [] : [action]),
  ];
}

/** Text without markup. */
export const PLAIN_FORMAT: ChatFormat = {
  escape: breakMentions,
  strong: (text) => text,
  link: (text, url) => `${text}: ${url}`,
};

/** Posts JSON, with the id of the message in a header: services ignore it, and a proxy can recognize repetitions. */
export function postJson(
  address: string,
  { id, body, at }: Pick<OutgoingMessage, 'id' | 'body' | 'at'>,
  means: SendOptions,
  resolve: Resolve,
  more: {
    headers?: Readonly<Record<string, string>>;
    readReply?: (reply: Reply) => ReplyMeaning | null;
  } = {},
): Promise<SendResult> {
  const { headers = {}, ...replyReader } = more;
  return postMessage(
    {
      address,
      headers: { 'content-type': 'application/json', 'webhook-id': id, ...headers },
      body,
      at,
      ...replyReader,
    },
    means,
    resolve,
  );
}

/** A composed body with members before its own: what belongs to the channel is not in the stored body. */
export function addMembers(body: string, members: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(members).slice(0, -1)},${body.slice(1)}`;
}

/** A setting for an address that is a secret, because whoever knows it can post. Only its host is shown. */
export function defineSecretAddress(
  name: string,
  words: Pick<Setting, 'label' | 'example'> & { description: string; help?: string },
): Setting {
  const { label, example, description, help = 'Secret: afterwards only its host is shown.' } = words;
  return {
    shape: z.string().max(2_000).describe(description),
    label,
    help,
    input: 'url',
    example,
    secret: true,
    read: (text) => readWebAddress(text, name).href,
    show: (address) => new URL(address).host,
  };
}

const object = z.record(z.string(), z.unknown());

/** Reads the member of a JSON reply at a path; undefined if there is none. */
export function readMember(json: unknown, ...path: readonly string[]): unknown {
  return path.reduce((value: unknown, name) => {
    const parsed = object.safeParse(value);
    return parsed.success && Object.hasOwn(parsed.data, name) ? parsed.data[name] : undefined;
  }, json);
}

/** Milliseconds of seconds in a reply, up to an hour; null if it has none. */
export function readSeconds(value: unknown): number | null {
  const isValid = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  return isValid ? Math.ceil(Math.min(value, 3_600) * 1_000) : null;
}
