/** What a mail contains: read by a parser of others, as it came over the wire. */
import * as fc from 'fast-check';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emailKind } from '../../src/monitor/alerts/channels/email.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { type ChannelMessage, describeTest, DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const BASE_URL = 'https://strandline.example/';
const FROM = { name: 'Wörter "& co"', address: 'alerts@example.org' };
type Post = { text?: string; author_username?: string | null; url?: string | null };
type Told = { posts?: Post[]; rule_name?: string; topic?: string | null; total?: number; baseUrl?: string };

function message({ posts = [{}], rule_name = 'Ferry news', topic = 'ferry', total, baseUrl }: Told) {
  const found = posts.map((post, i) => ({
    id: String(i + 1),
    at: '2026-11-21T11:59:58.120Z',
    run_id: '97',
    topic: 'ferry',
    topic_name: 'The ferry',
    search: 'ferry-posts',
    search_name: 'The ferry: Posts',
    simulated: false,
    first_in_topic: true,
    copies: 1,
    authors: null,
    copies_at_least: false,
    story_id: null,
    page: baseUrl === undefined ? null : `${baseUrl}posts/${i + 1}`,
    kind: 'post' as const,
    post: {
      id: String(i + 1),
      external_id: `x${i}`,
      url: `https://social.example/status/${i}?a=1&b=2`,
      author_username: 'ada',
      text: 'The ferry is back.',
      lang: null,
      hashtags: [],
      created_at: '2026-11-21T08:00:00.000Z',
      like_count: 1204,
      repost_count: 0,
      reply_count: null,
      quote_count: null,
      view_count: null,
      bookmark_count: null,
      ...post,
    },
  }));
  const count = total ?? found.length;
  const link = baseUrl === undefined ? null : `${baseUrl}runs/97`;
  return DiscoveriesMessage.parse({
    type: 'strandline.discoveries',
    timestamp: '2026-11-21T12:00:00.000Z',
    data: {
      rule: 'ferry-news',
      rule_name,
      topic,
      topic_name: topic === null ? null : 'The ferry',
      search: 'ferry-posts',
      run_id: '97',
      link,
      total: count,
      counts: count > found.length ? {} : { post: count },
      muted: null,
      daily_limit: null,
      discoveries: found,
      further_ids: Array.from({ length: count - found.length }, (_, i) => String(100 + i)),
    },
  });
}

const ID = 'msg_0123456789abcdef0123456789abcdef';
const compose = async (content: ChannelMessage, { id = ID, baseUrl = '' } = {}) =>
  emailKind.compose(content, {
    id,
    channel: 'desk',
    settings: { email: 'a@example.com, b@example.com' },
    baseUrl: baseUrl === '' ? undefined : baseUrl,
    mail: { url: '', from: FROM },
  });

/** Composed, sent, received and parsed. */
async function receive(content: ChannelMessage, more: { id?: string; baseUrl?: string } = {}) {
  const body = await compose(content, more);
  const sent = await emailKind.send(
    { id: more.id ?? ID, body, accepted: [], at: new Date() },
    { settings: { email: 'a@example.com, b@example.com' }, secrets: [] },
    {
      timeoutMs: 60_000,
      allow: undefined,
      doors: { ports: [], baseUrl: undefined },
      mail: { url: `smtp://127.0.0.1:${server.port}`, from: FROM },
      signal: new AbortController().signal,
    },
  );
  expect(sent).toMatchObject({ kind: 'taken' });
  const mail = server.mails.at(-1);
  expect(mail?.raw).toBe(body);
  return { ...(await PostalMime.parse(mail?.raw ?? '')), wire: mail?.wire ?? '' };
}

const header = ({ headers }: Email, name: string) => headers.find(({ key }) => key === name)?.value;
/** The words and addresses of a page, in its order. */
const wordsOf = (html: string) =>
  decode(
    html
      .replace(/^[^]*<body[^>]*>/, '')
      .replace(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g, '$2: $1')
      .replace(/<[^>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim();
const NAMES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const decode = (text: string) =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => NAMES[name] ?? '');
const inOneLine = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();

test('headers name sender, recipients, thread, list and time', async () => {
  const mail = await receive(message({ baseUrl: BASE_URL }), { baseUrl: BASE_URL });
  expect(mail.from).toEqual(FROM);
  expect(mail.to?.map(({ address }) => address)).toEqual(['a@example.com', 'b@example.com']);
  expect(mail.subject).toBe('[strandline] The ferry');
  expect(mail.messageId).toBe(`<${ID}@example.org>`);
  expect(mail.inReplyTo).toBe('<topic.ferry.desk@example.org>');
  expect(mail.references).toBe(mail.inReplyTo);
  expect(mail.date).toBe('2026-11-21T12:00:00.000Z');
  expect(header(mail, 'auto-submitted')).toBe('auto-generated');
  expect(header(mail, 'list-id')).toBe('<desk.strandline.example.org>');
  expect(header(mail, 'list-unsubscribe')).toBe('<https://strandline.example/alerts/rules/ferry-news>');
});

test('without BASE_URL there is no link to the dashboard, and a command instead', async () => {
  const mail = await receive(message({ total: 9 }));
  expect(header(mail, 'list-unsubscribe')).toBeUndefined();
  expect(mail.text).toContain('strandline rules pause ferry-news');
  expect(mail.text).toContain('and 8 more');
  expect(mail.html).not.toContain('strandline.example');
});

test('a topic is one conversation with one subject; another one, and a rule over several, are others', async () => {
  const [first, second, other, several] = await Promise.all(
    [
      message({ total: 3 }),
      message({ posts: [{}, {}], rule_name: 'Another' }),
      message({ topic: 'tram' }),
      message({ topic: null }),
    ].map(async (each, i) => PostalMime.parse(await compose(each, { id: `msg_${i}` }))),
  );
  const threadOf = (mail: Email | undefined) => [mail?.subject, mail?.references];
  expect(threadOf(second)).toEqual(threadOf(first));
  expect(first?.messageId).not.toBe(second?.messageId);
  expect(other?.references).toBe('<topic.tram.desk@example.org>');
  expect(several?.references).toBe('<rule.ferry-news.desk@example.org>');
});

test('a test message has links to its channel', async () => {
  const mail = await receive(describeTest('desk', new Date('2026-11-21T12:00:00Z')), { baseUrl: BASE_URL });
  expect(mail.subject).toBe('[strandline] Test of desk');
  expect(mail.text).toContain('https://strandline.example/alerts/channels/desk');
  expect(mail.references).toBeUndefined();
});

test('the same message gives the same bytes', async () => {
  expect(await compose(message({}))).toBe(await compose(message({})));
});

const HOSTILE = [
  '.\r\n.\r\nMAIL FROM:<x@example.com>',
  'line\r\nBcc: c@example.com\r\n\r\n<script>alert(1)</script>',
  `--=_-${ID}-Part_1--`,
  'x'.repeat(1_500),
  'ü'.repeat(1_500),
  'القطار الليلي يعود 🚆',
  '夜行列車が戻ってきた',
  '👩‍👩‍👧‍👦'.repeat(80),
  '=?utf-8?Q?=41?= & &amp; &lt; "quoted" \'single\'',
  '--\n-- \nFrom here',
];

test.each(HOSTILE)('%j arrives as it is, in both parts', async (text) => {
  await checkContent(
    message({ posts: [{ text, author_username: text }], rule_name: text, baseUrl: BASE_URL }),
  );
});

test('any texts arrive as they are, in both parts, and add no header and no recipient', async () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(...HOSTILE),
  );
  const post = fc.record({
    text: anyText,
    author_username: anyText,
    url: fc.webUrl({ withQueryParameters: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(post, { minLength: 1, maxLength: 6 }), anyText, async (posts, rule_name) =>
      checkContent(
        message({ posts: posts.map(cleanPost), rule_name: rule_name.toWellFormed(), baseUrl: BASE_URL }),
      ),
    ),
    { numRuns: 60 },
  );
});
/** As it is stored. */
const cleanPost = (post: { text: string; author_username: string; url: string }) => ({
  ...post,
  text: post.text.toWellFormed().slice(0, 2_000).toWellFormed(),
  author_username: post.author_username.toWellFormed(),
});

async function checkContent(content: ReturnType<typeof message>): Promise<void> {
  const mail = await receive(content, { baseUrl: BASE_URL });
  const summary = summarizeMessage(content);
  const told = [
    summary.title,
    ...summary.items.flatMap(({ text, url, page }) => [text, url, page]),
    summary.url,
  ];
  const whole = inOneLine(mail.text);
  for (const each of told) if (each !== null) expect(whole).toContain(inOneLine(each));
  expect(wordsOf(mail.html ?? '')).toBe(whole);
  expect(mail.to).toHaveLength(2);
  expect(mail.bcc ?? []).toEqual([]);
  expect(mail.headers.map(({ key }) => key)).toEqual(KEYS);
  const lines = mail.wire.split('\r\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
  // oxlint-disable-next-line no-control-regex
  expect(mail.wire).toMatch(/^[\x20-\x7e\r\n]*$/);
  expect(mail.wire.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
}

const KEYS = [
  'auto-submitted',
  'x-auto-response-suppress',
  'list-id',
  'list-unsubscribe',
  'from',
  'to',
  'in-reply-to',
  'references',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
];
