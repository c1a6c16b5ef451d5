/** Composes mails: headers, and a text and an HTML part of equal content. */

import { cleanLine, escapeHtml, truncateText } from '../../../lib/text.ts';
import type { Mailbox } from '../../../lib/mail-address.ts';
import { isWebUrl, trimEndSlashes } from '../../../model/links/link.ts';
import { listRuleActions } from '../../digests/digest-actions.ts';
import { composeSections, type DigestLine } from '../../digests/digest-sections.ts';
import type { ChannelMessage } from '../message.ts';
import type { Composition } from './channel-kind.ts';
import {
  describeMore,
  describeOrigin,
  type MessageSummary,
  type SummaryItem,
  summarizeMessage,
} from './message-summary.ts';

/** The sender and the recipients of a mail. */
type Envelope = { from: Mailbox; to: readonly string[] };

/**
 * Composes a mail as it is sent: ASCII, lines of at most 76 characters with CRLF. The same input gives the same bytes.
 * @param about the message, channel and dashboard
 */
export async function composeMail(
  message: ChannelMessage,
  { from, to }: Envelope,
  about: Pick<Composition, 'id' | 'channel' | 'baseUrl'>,
): Promise<string> {
  // Loaded on demand: most importers only list the kinds of channels.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const mail = describeMail(message, about);
  const thread = mail.thread === null ? {} : threadUnder(`<${mail.thread}.${about.channel}@${domain}>`);
  const composed = new MailComposer({
    from,
    to: [...to],
    subject: mail.subject,
    messageId: `<${about.id}@${domain}>`,
    date: new Date(message.timestamp),
    ...thread,
    text: mail.text,
    html: mail.html,
    encoding: 'quoted-printable',
    // `=_` is in no quoted-printable text, so that none can end its part.
    boundaryPrefix: '=_',
    baseBoundary: about.id,
    newline: 'win',
    disableUrlAccess: true,
    disableFileAccess: true,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Id': { prepared: true, value: `<${about.channel}.strandline.${domain}>` },
      ...(mail.manage === null ? {} : { 'List-Unsubscribe': { prepared: true, value: `<${mail.manage}>` } }),
    },
  });
  return (await composed.compile().build()).toString('latin1');
}

/** All mails of a thread name the same first mail, which does not exist: mail programs show them as one conversation. */
function threadUnder(root: string) {
  return { inReplyTo: root, references: [root] };
}

type Mail = {
  /** The same for all mails of a thread: some mail programs start another thread when it changes. */
  subject: string;
  /** Id of its thread in the channel; null if it has none. */
  thread: string | null;
  text: string;
  html: string;
  /** Where a person ends these mails; null without `BASE_URL`. */
  manage: string | null;
};

function describeMail(
  message: ChannelMessage,
  { channel, baseUrl }: Pick<Composition, 'channel' | 'baseUrl'>,
): Mail {
  const summary = summarizeMessage(message);
  const base = baseUrl === undefined ? null : trimEndSlashes(baseUrl);
  if (message.type === 'strandline.test') {
    const manage = base === null ? null : `${base}/alerts/channels/${channel}`;
    const footer = { reason: `Sent to the channel ${channel} as a test.`, manage, label: 'The channel' };
    return { subject: `[strandline] Test of ${channel}`, thread: null, manage, ...render(summary, footer) };
  }
  const { rule, rule_name } = message.data;
  const { topic, topic_name } =
    message.type === 'strandline.discoveries' ? message.data : { topic: null, topic_name: null };
  const manage = base === null ? null : `${base}/alerts/rules/${rule}`;
  const stop = manage === null ? ` To stop it: strandline rules pause ${rule}` : '';
  const footer = {
    reason: `Sent by the rule “${nameShort(rule_name)}” to the channel ${channel}.${stop}`,
    manage,
    label: 'Change or stop this rule',
  };
  const parts =
    message.type === 'strandline.digest' ? renderDigest(message.data, base, footer) : render(summary, footer);
  return {
    subject: `[strandline] ${nameShort(topic_name ?? rule_name)}`,
    thread: topic === null ? `rule.${rule}` : `topic.${topic}`,
    manage,
    ...parts,
  };
}

/** On one line that mail programs show whole. */
const nameShort = (name: string) => truncateText(cleanLine(name), MAX_NAME);
const MAX_NAME = 80;

type Footer = { reason: string; manage: string | null; label: string };

/** The parts are made from the same lines, in the same order. */
function render(summary: MessageSummary, footer: Footer): Pick<Mail, 'text' | 'html'> {
  const lines = describeLines(summary, footer);
  return { text: renderText(lines), html: renderHtml(summary.title, lines) };
}

/** A digest with all its sections: the same lines in both parts. */
function renderDigest(
  { rule, rule_name, link, digest }: Extract<ChannelMessage, { type: 'strandline.digest' }>['data'],
  base: string | null,
  { reason, manage, label }: Footer,
): Pick<Mail, 'text' | 'html'> {
  const groups = composeSections(digest).map(({ heading, lines }) => [
    ...plainLine('section', heading),
    ...lines.flatMap((line) => describeDigestLine(line, base)),
  ]);
  const actions = base === null ? [] : listRuleActions(rule);
  const foot = [
    ...linkLine('button', 'Open as a page', link),
    ...actions.flatMap(({ words, path }) => linkLine('link', words, `${base}${path}`)),
    ...plainLine('small', reason),
    ...linkLine('smallLink', label, manage),
  ];
  const all = [...groups, foot];
  return { text: renderText(all), html: renderHtml(rule_name, all) };
}

const DIGEST_STYLES = {
  title: 'title',
  text: 'text',
  brief: 'text',
  name: 'name',
  plus: 'text',
  minus: 'text',
  thing: 'thing',
  note: 'small',
} as const;
const SIGNS: Readonly<Partial<Record<DigestLine['style'], string>>> = { plus: '+ ', minus: '− ' };

/** A post or link leads to itself, everything else to its page. */
function describeDigestLine(
  { style, words, path, url, action, cites }: DigestLine,
  base: string | null,
): Line[] {
  const page = base === null || path === null ? null : `${base}${path}`;
  const link = url !== null && isWebUrl(url) ? url : page;
  const behind = action === null || base === null ? null : { ...action, link: `${base}${action.path}` };
  if (words === '') return behind === null ? [] : linkLine('smallLink', behind.words, behind.link);
  const named = base === null ? cites.map((cite) => ` (${cite.words})`).join('') : '';
  const numbers =
    base === null ? [] : cites.map(({ n, path: to }) => ({ words: `[${n}]`, link: `${base}${to}` }));
  const line = { style: DIGEST_STYLES[style], words: `${SIGNS[style] ?? ''}${words}${named}`, link };
  return [{ ...line, behind: [...(behind === null ? [] : [behind]), ...numbers] }];
}

/** A line of a mail: its words, or a link with its label; and other links behind it. */
type Line = {
  style: keyof typeof STYLES;
  words: string;
  link: string | null;
  behind?: readonly { words: string; link: string }[];
};

const plainLine = (style: Line['style'], words: string | null): Line[] =>
  words === null || words === '' ? [] : [{ style, words, link: null }];
const linkLine = (style: Line['style'], words: string, link: string | null): Line[] =>
  link === null ? [] : [{ style, words, link }];

/** Groups of lines: the head, each item, the rest, the foot. */
function describeLines(summary: MessageSummary, { reason, manage, label }: Footer): Line[][] {
  const { title, lead, items, more, url } = summary;
  return [
    [...plainLine('title', title), ...plainLine('text', lead)],
    ...items.map(describeItem),
    [
      ...plainLine('text', more === null ? null : describeMore({ more })),
      ...linkLine('button', 'Open the list', url),
    ],
    [...plainLine('small', reason), ...linkLine('smallLink', label, manage)],
  ].filter((group) => group.length > 0);
}

const LABELS: Readonly<Record<SummaryItem['kind'], string | null>> = {
  post: null,
  link: null,
  spike: 'Spike',
  trend: 'Trend',
  answer: null,
  digest: null,
  problem: null,
  growth: null,
  name: 'Name',
};

function describeItem(item: SummaryItem): Line[] {
  const { kind, title, text, url, page } = item;
  return [
    ...plainLine('label', LABELS[kind]),
    ...plainLine('heading', title),
    ...plainLine('text', text),
    ...plainLine('small', describeOrigin(item)),
    ...linkLine('link', kind === 'post' || kind === 'growth' ? 'Open the post' : 'Open the page', url),
    ...linkLine('link', 'In strandline', page),
  ];
}

function renderText(groups: readonly (readonly Line[])[]): string {
  const paragraphs = groups.map((lines) =>
    lines
      .flatMap(({ words, link, behind = [] }) => [{ words, link }, ...behind])
      .map(({ words, link }) => (link === null ? words : `${words}: ${link}`))
      .join('\n'),
  );
  return `${paragraphs.join('\n\n')}\n`;
}

/**
 * Colors are those of the mail program, which may be dark, and shades of them: `opacity` instead of a gray that is unreadable on
 * one of the two. Sizes suit a phone.
 */
const STYLES = {
  title: 'margin:0;font-size:20px;line-height:1.3;font-weight:600',
  section: 'margin:0 0 6px;font-size:17px;line-height:1.3;font-weight:700',
  name: 'display:block;margin:8px 0 2px;font-size:16px;line-height:1.4;font-weight:600;color:inherit',
  thing: 'display:block;margin:6px 0 0;font-size:15px;line-height:1.4;color:inherit',
  label:
    'margin:0 0 2px;font-size:12px;line-height:1.4;font-weight:600;letter-spacing:.06em;text-transform:uppercase;opacity:.75',
  heading: 'margin:0 0 4px;font-size:17px;line-height:1.4;font-weight:600',
  text: 'margin:0 0 4px;font-size:16px;line-height:1.5',
  small: 'margin:0 0 4px;font-size:14px;line-height:1.5;opacity:.75',
  link: 'display:inline-block;margin:4px 18px 0 0;padding:4px 0;font-size:15px;line-height:1.5;color:inherit;text-decoration:underline',
  smallLink: 'font-size:14px;line-height:1.5;color:inherit;text-decoration:underline;opacity:.75',
  button:
    'display:inline-block;margin-top:8px;padding:10px 18px;border:1px solid;border-radius:8px;font-size:16px;line-height:1.25;font-weight:600;color:inherit;text-decoration:none',
} as const;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif";
const RULE = 'border-top:1px solid rgba(128,128,128,.35)';

function renderHtml(title: string, groups: readonly (readonly Line[])[]): string {
  const sections = groups.map((lines, i) => {
    const edge = i === 0 ? '' : `;${RULE}`;
    return `<div style="padding:16px 0${edge}">\n${lines.map(renderLine).join('\n')}\n</div>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>:root{color-scheme:light dark}</style>
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:600px;margin:0 auto;padding:8px 20px 24px;${FONT};overflow-wrap:anywhere;word-break:break-word">
${sections.join('\n')}
</div>
</body>
</html>
`;
}

/** `dir=auto`: texts of any language have their own direction. */
function renderLine({ style, words, link, behind = [] }: Line): string {
  const css = STYLES[style];
  if (link !== null && (style === 'text' || style === 'small'))
    return `<p dir="auto" style="${css}"><a href="${escapeHtml(link)}" style="color:inherit">${escapeHtml(words)}</a></p>`;
  if (link !== null) return `<a href="${escapeHtml(link)}" style="${css}">${escapeHtml(words)}</a>`;
  const tag = style === 'title' ? 'h1' : style === 'heading' || style === 'section' ? 'h2' : 'p';
  const more = behind
    .map(
      (each) => ` · <a href="${escapeHtml(each.link)}" style="color:inherit">${escapeHtml(each.words)}</a>`,
    )
    .join('');
  return `<${tag} dir="auto" style="${css}">${escapeHtml(words)}${more}</${tag}>`;
}
