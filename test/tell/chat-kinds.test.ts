/** Chat kinds against services written from their public documentation: bodies, limits, escapes, replies. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { groupBy } from '../../src/lib/group-by.ts';
import { z } from 'zod';
import type { ChannelKind, Settings } from '../../src/monitor/alerts/channels/channel-kind.ts';
import { appriseKind } from '../../src/monitor/alerts/channels/apprise.ts';
import { discordKind } from '../../src/monitor/alerts/channels/discord.ts';
import { ntfyKind } from '../../src/monitor/alerts/channels/ntfy.ts';
import { slackKind } from '../../src/monitor/alerts/channels/slack.ts';
import { teamsKind } from '../../src/monitor/alerts/channels/teams.ts';
import { createTelegramKind, telegramKind } from '../../src/monitor/alerts/channels/telegram.ts';
import {
  type ChannelMessage,
  describeTest,
  type DiscoveriesMessage,
} from '../../src/monitor/alerts/message.ts';
import { decideChannelHealth, decideNextAttempt } from '../../src/monitor/alerts/delivery-retry.ts';
import { recognizeAddress } from '../../src/monitor/alerts/recognize-address.ts';
import { systemResolve } from '../../src/platform/network.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const AT = new Date('2026-11-21T12:00:00Z');

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

type Message = z.infer<typeof DiscoveriesMessage>;
type Found = Message['data']['discoveries'][number];

function post(text: string, author: string | null, url: string | null = 'https://social.example/p/1'): Found {
  return {
    id: '1',
    at: AT.toISOString(),
    run_id: '1',
    topic: 't',
    topic_name: 'T',
    search: 's',
    search_name: 'T: Posts',
    simulated: false,
    first_in_topic: true,
    copies: 1,
    authors: null,
    copies_at_least: false,
    story_id: null,
    page: 'https://strandline.example/posts/1',
    kind: 'post',
    post: {
      id: '1',
      external_id: 'x',
      url,
      author_username: author,
      text,
      lang: null,
      hashtags: [],
      created_at: AT.toISOString(),
      like_count: 1_204,
      repost_count: 1,
      reply_count: 0,
      quote_count: null,
      view_count: null,
    },
  };
}

/** Of more than are there, the kinds are unknown. */
function countKinds(discoveries: readonly Found[]): Record<string, number> {
  return Object.fromEntries(
    [...groupBy(discoveries, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  );
}

function message(name: string, discoveries: Found[], total = discoveries.length): Message {
  return {
    type: 'strandline.discoveries',
    timestamp: AT.toISOString(),
    data: {
      rule: 'r',
      rule_name: name,
      topic: 't',
      topic_name: 'T',
      search: 's',
      run_id: '1',
      link: 'https://strandline.example/runs/1?a=1&b=2',
      total,
      counts: total > discoveries.length ? {} : countKinds(discoveries),
      muted: null,
      daily_limit: null,
      discoveries,
      further_ids: Array.from({ length: total - discoveries.length }, (_, i) => String(i + 100)),
    },
  };
}

const slackBody = z.strictObject({
  text: z.string().min(1).max(4_000),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});
const discordBody = z.strictObject({
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  embeds: z
    .array(
      z.strictObject({
        title: z.string().min(1).max(256),
        url: z.url().optional(),
        description: z.string().max(4_096),
        timestamp: z.iso.datetime(),
      }),
    )
    .length(1),
});
const telegramBody = z.strictObject({
  text: z.string().min(1).max(4_096),
  parse_mode: z.literal('HTML'),
  link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
});
const ntfyBody = z.strictObject({
  title: z.string().min(1),
  message: z.string().refine((text) => Buffer.byteLength(text) <= 4_096),
  click: z.url().optional(),
});
const appriseBody = z.strictObject({
  title: z.string(),
  body: z.string().min(1).max(4_000),
  type: z.literal('info'),
  format: z.literal('text'),
});
const inline = z.looseObject({ type: z.literal('TextRun'), text: z.string() });
const element: z.ZodType = z.lazy(() =>
  z.union([
    z.looseObject({ type: z.literal('RichTextBlock'), inlines: z.array(inline) }),
    // Markdown: nothing but our words and addresses.
    z.looseObject({
      type: z.literal('TextBlock'),
      text: z.string().regex(/^\[(Original|Details)\]\([^()\s]+\)( · \[Details\]\([^()\s]+\))?$/),
    }),
    z.looseObject({ type: z.literal('Container'), items: z.array(element) }),
  ]),
);
const teamsBody = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.looseObject({
          type: z.literal('AdaptiveCard'),
          version: z.string(),
          body: z.array(element).min(1),
        }),
      }),
    )
    .length(1),
});

/** HTML as Telegram reads it: three kinds of tags, balanced, and four entities. */
function expectTelegramHtml(text: string): void {
  const bare = text
    .replace(/<b>|<\/b>|<a href="https?:[^"<>]*">|<\/a>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, '');
  expect(bare).not.toMatch(/[<>&]/);
  for (const tag of ['b', 'a'])
    expect(text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0).toBe(
      text.match(new RegExp(`</${tag}>`, 'g'))?.length ?? 0,
    );
}

/** Only our links are in angle brackets. */
function expectMrkdwn(text: string): void {
  const bare = text.replace(/<https?:[^|<>]+\|[^<>]*>/g, '');
  expect(bare).not.toMatch(/[<>]/);
  expect(bare.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
}

const SERVICES: [string, ChannelKind, (body: string) => void][] = [
  ['slack', slackKind, (body) => expectMrkdwn(slackBody.parse(JSON.parse(body)).text)],
  ['discord', discordKind, (body) => void discordBody.parse(JSON.parse(body))],
  ['telegram', telegramKind, (body) => expectTelegramHtml(telegramBody.parse(JSON.parse(body)).text)],
  ['ntfy', ntfyKind, (body) => void ntfyBody.parse(JSON.parse(body))],
  ['apprise', appriseKind, (body) => void appriseBody.parse(JSON.parse(body))],
  [
    'teams',
    teamsKind,
    (body) => {
      teamsBody.parse(JSON.parse(body));
      expect(Buffer.byteLength(body)).toBeLessThan(28_000);
    },
  ],
];

const PIECES = [
  '@everyone',
  '@here',
  '@channel',
  '<!channel>',
  '<!here|x>',
  '<@U123>',
  '<@&12>',
  '<#1>',
  '<at>all</at>',
  '＠all',
  '**bold**',
  '__',
  '```',
  '`',
  '~~',
  '||spoiler||',
  '[text](javascript:alert(1))',
  '> quote',
  '# head',
  '- list',
  '<b>',
  '</a>',
  '&amp;',
  '&lt;',
  '"',
  '\\',
  '\\*',
  '<script>',
  '\u202e',
  '\u0000',
  '\ud800',
  '\udc00',
  '😀',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(40),
  'שלום',
  'مرحبا',
  '日本語'.repeat(50),
  '\n',
  '\r\n',
  ' ',
  'word',
  'a'.repeat(700),
  '&'.repeat(400),
  '*'.repeat(400),
  '{{x}}',
  '%0A',
];

/** A sequence that is the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test.each(SERVICES)(
  '%s: no text exceeds a limit, mentions somebody, or breaks the format',
  async (_name, kind, verify) => {
    const random = createRandom(42);
    const draw = (most: number) =>
      Array.from(
        { length: Math.floor(random() * most) },
        () => PIECES[Math.floor(random() * PIECES.length)],
      ).join('');
    for (let n = 0; n < 300; n += 1) {
      const found = Array.from({ length: Math.floor(random() * 8) }, () =>
        post(
          draw(30),
          draw(4) || null,
          `https://h.example/${encodeURIComponent(draw(2).toWellFormed())}?a=(1)|<2>&b='"`,
        ),
      );
      const body = await composeBy(
        kind,
        message((draw(5) || 'r').slice(0, 120), found, found.length + Math.floor(random() * 50)),
      );
      verify(body);
      expect(body.isWellFormed()).toBe(true);
      expect(body).not.toMatch(/\\ud[89a-f]/i);
      expect(JSON.stringify(JSON.parse(body))).not.toMatch(/[@＠](everyone|here|channel|all|U123)/);
    }
  },
);

test.each(SERVICES)(
  '%s: has title, text, author, counters, links, and how many more',
  async (name, kind, verify) => {
    const body = await composeBy(kind, message('Ferry', [post('A second ferry', 'ada')], 28));
    verify(body);
    for (const part of [
      'Ferry: 28 results',
      'A second ferry',
      'ada',
      '1,204 likes',
      '1 repost',
      'https://social.example/p/1',
      'https://strandline.example/posts/1',
      'and 27 more',
      'https://strandline.example/runs/1',
    ])
      expect(body.replaceAll('\\\\', ''), name).toContain(part);
    verify(await composeBy(kind, describeTest('ops', AT)));
  },
);

/** What a chat needs of what a body may depend on: nothing. */
async function composeBy(kind: ChannelKind, content: ChannelMessage): Promise<string> {
  const about = { id: 'msg_1', channel: 'ops', settings: {}, baseUrl: undefined, mail: undefined };
  return kind.compose(content, about);
}

const means = () => ({
  timeoutMs: 10_000,
  allow: '127.0.0.1',
  mail: undefined,
  doors: { ports: [], baseUrl: undefined },
  signal: new AbortController().signal,
});

type Outcome = 'taken' | 'gone' | 'rejected' | 'slow_down' | 'http_status' | 'broken';
const json = (code: number, body: unknown, headers = {}) => status(code, headers, JSON.stringify(body));
const telegramError = (code: number, description: string, parameters = {}) =>
  json(code, { ok: false, error_code: code, description, parameters });

const REPLIES: [string, ReturnType<typeof status>, Outcome, number?][] = [
  ['slack', status(200, {}, 'ok'), 'taken'],
  ['slack', status(400, {}, 'invalid_payload'), 'rejected'],
  ['slack', status(403, {}, 'action_prohibited'), 'gone'],
  ['slack', status(404, {}, 'channel_not_found'), 'gone'],
  ['slack', status(404, {}, 'no_service'), 'gone'],
  ['slack', status(410, {}, 'channel_is_archived'), 'gone'],
  ['slack', status(429, { 'retry-after': '30' }, 'rate_limited'), 'slow_down', 30_000],
  ['slack', status(500, {}, 'rollup_error'), 'http_status'],
  ['slack', json(400, { id: 'web.incoming_webhook.invalid.app_error', status_code: 400 }), 'gone'],
  ['slack', json(400, { success: false, error: 'invalid-channel' }), 'gone'],
  ['discord', status(204), 'taken'],
  ['discord', json(404, { message: 'Unknown Webhook', code: 10_015 }), 'gone'],
  ['discord', json(401, { message: 'Invalid Webhook Token', code: 50_027 }), 'gone'],
  ['discord', json(400, { message: 'Invalid Form Body', code: 50_035 }), 'rejected'],
  [
    'discord',
    json(429, { message: 'You are being rate limited.', retry_after: 1.337, global: false }),
    'slow_down',
    1_337,
  ],
  ['discord', status(502), 'http_status'],
  ['telegram', json(200, { ok: true, result: {} }), 'taken'],
  ['telegram', telegramError(400, 'Bad Request: chat not found'), 'gone'],
  [
    'telegram',
    telegramError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1_001,
    }),
    'gone',
  ],
  ['telegram', telegramError(400, "Bad Request: can't parse entities: unsupported start tag"), 'rejected'],
  ['telegram', telegramError(401, 'Unauthorized'), 'gone'],
  ['telegram', telegramError(403, 'Forbidden: bot was blocked by the user'), 'gone'],
  [
    'telegram',
    telegramError(429, 'Too Many Requests: retry after 14', { retry_after: 14 }),
    'slow_down',
    14_000,
  ],
  ['telegram', status(502), 'http_status'],
  ['ntfy', json(200, { id: 'x', event: 'message' }), 'taken'],
  ['ntfy', json(403, { code: 40_301, http: 403, error: 'forbidden' }), 'gone'],
  ['ntfy', json(401, { code: 40_101, http: 401, error: 'unauthorized' }), 'gone'],
  ['ntfy', json(400, { code: 40_009, http: 400, error: 'invalid request: topic invalid' }), 'gone'],
  ['ntfy', json(400, { code: 40_024, http: 400, error: 'invalid request' }), 'rejected'],
  ['ntfy', json(429, { code: 42_901, http: 429, error: 'limit reached' }), 'slow_down'],
  ['ntfy', status(507), 'http_status'],
  ['teams', status(202), 'taken'],
  ['teams', json(404, { error: { code: 'WorkflowNotFound' } }), 'gone'],
  ['teams', json(400, { error: { code: 'WorkflowTriggerIsNotEnabled' } }), 'gone'],
  ['teams', json(401, { error: { code: 'AuthorizationFailed' } }), 'gone'],
  ['teams', json(400, { error: { code: 'TriggerInputSchemaMismatch' } }), 'rejected'],
  ['teams', status(413), 'rejected'],
  ['teams', status(429, { 'retry-after': '5' }), 'slow_down', 5_000],
  [
    'teams',
    status(
      200,
      {},
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
    ),
    'slow_down',
  ],
  ['teams', status(200, {}, '1'), 'taken'],
  ['apprise', json(200, { error: null }), 'taken'],
  ['apprise', status(204), 'gone'],
  ['apprise', status(400), 'rejected'],
  ['apprise', status(424), 'http_status'],
  ['apprise', status(500), 'http_status'],
];

/** A kind whose service is the receiver, and its settings. */
function stand(name: string): { kind: ChannelKind; settings: Settings; path: string } {
  const { url } = receiver;
  switch (name) {
    case 'slack':
      return { kind: slackKind, settings: { slack_secret_url: `${url}/slack` }, path: '/slack' };
    case 'discord':
      return { kind: discordKind, settings: { discord_secret_url: `${url}/discord` }, path: '/discord' };
    case 'teams':
      return { kind: teamsKind, settings: { teams_secret_url: `${url}/teams` }, path: '/teams' };
    case 'ntfy':
      return {
        kind: ntfyKind,
        settings: { ntfy_secret_url: `${url}/topic-1`, ntfy_token: 'tk_secret' },
        path: '/',
      };
    case 'apprise':
      return {
        kind: appriseKind,
        settings: { apprise_secret_url: `${url}/notify`, apprise_secret_services: 'json://user:pw@h' },
        path: '/notify',
      };
    default:
      return {
        kind: createTelegramKind(systemResolve, url),
        settings: { telegram_chat: '-1001', telegram_token: '123456:AAA' },
        path: '/bot123456:AAA/sendMessage',
      };
  }
}

test.each(REPLIES)('%s: reply %#', async (name, behave, outcome, retryAfterMs) => {
  const { kind, settings, path } = stand(name);
  receiver.answers(behave, path);
  const body = await composeBy(kind, message('Ferry', [post('text', 'ada')]));
  const result = await kind.send(
    { id: 'msg_1', body, at: AT, accepted: [] },
    { settings, secrets: [] },
    means(),
  );
  expect(result.kind === 'failed' ? result.code : result.kind).toBe(outcome);
  if (result.kind !== 'failed') return;
  if (retryAfterMs !== undefined) expect(result.retryAfterMs).toBe(retryAfterMs);
  const failed = { ...result, meaning: kind.words.failures[result.code] ?? result.code };
  const isFinal = outcome === 'gone' || outcome === 'rejected';
  expect(decideNextAttempt(failed, 1, AT, 0).nextAt === null).toBe(isFinal);
  const { disabled, health } = decideChannelHealth(failed, { failures: 0, failingSince: null }, AT);
  expect(disabled !== null).toBe(outcome === 'gone');
  expect(health.restingUntil !== null).toBe(!isFinal);
});

test('what is sent has the chat, topic and services, and the same bytes and id at every attempt', async () => {
  for (const [name, part] of [
    ['telegram', { chat_id: '-1001' }],
    ['ntfy', { topic: 'topic-1', sequence_id: 'msg_2' }],
    ['apprise', { urls: 'json://user:pw@h' }],
  ] as const) {
    const { kind, settings, path } = stand(name);
    receiver.answers(status(500), path);
    const body = await composeBy(kind, message('Ferry', [post('text', 'ada')]));
    for (const at of [AT, new Date(AT.getTime() + 60_000)])
      await kind.send({ id: 'msg_2', body, at, accepted: [] }, { settings, secrets: [] }, means());
    const [one, two] = receiver.received.filter((each) => each.path === path && each.id === 'msg_2');
    expect(one?.body).toBe(two?.body);
    expect(JSON.parse(one?.body ?? '')).toMatchObject({ ...part, ...(JSON.parse(body) as object) });
    expect(body).not.toContain('json://user');
    if (name === 'ntfy') expect(one?.headers.authorization).toBe('Bearer tk_secret');
  }
});

test('Mattermost and Rocket.Chat get their own bold text and entities', async () => {
  const body = await composeBy(slackKind, message('A & B', [post('1 < 2 *x*', 'ada')]));
  for (const [path, expected, unexpected] of [
    ['/hooks/xxxxxxxxxxxxxxxxxxxxxxxxx1', '**<', '∗∗'],
    ['/hooks/aaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'A & B', '&lt;'],
  ] as const) {
    receiver.answers(status(200), path);
    await slackKind.send(
      { id: 'm', body, at: AT, accepted: [] },
      { settings: { slack_secret_url: `${receiver.url}${path}` }, secrets: [] },
      means(),
    );
    const sent = receiver.received.at(-1)?.body ?? '';
    expect(sent).toContain(expected);
    expect(sent).not.toContain(unexpected);
  }
});

test.each([
  ['https://hooks.slack.com/services/T0/B0/xyz', 'slack'],
  [' <https://hooks.slack.com/services/T0/B0/xyz> ', 'slack'],
  ['https://chat.example.org/hooks/abcdefghijklmnopqrstuvwxy1', 'slack'],
  ['https://rc.example.org/hooks/6123456789abcdef01234567/AbCdEfGhIjKlMnOpQrStUvWx', 'slack'],
  ['https://discord.com/api/webhooks/1/ab-c_d', 'discord'],
  ['https://canary.discordapp.com/api/v10/webhooks/1/abc', 'discord'],
  ['https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x', 'teams'],
  [
    'https://abc.06.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1/triggers/manual/paths/invoke?sig=x',
    'teams',
  ],
  ['https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d', 'teams'],
  ['123456789:AAExampleExampleExampleExampleExample', 'telegram'],
  ['123456789:AAExampleExampleExampleExampleExample -1001234', 'telegram'],
  [
    'https://api.telegram.org/bot123456789:AAExampleExampleExampleExampleExample/sendMessage?chat_id=5',
    'telegram',
  ],
  ['https://ntfy.sh/topic', 'ntfy'],
  ['ntfy.sh/topic', 'ntfy'],
  ['https://ntfy.example.org/topic tk_abc', 'ntfy'],
  ['ntfy://push.example.org/topic', 'ntfy'],
  ['https://apprise.example.org/notify/key', 'apprise'],
  ['apprises://apprise.example.org/key', 'apprise'],
  ['https://hooks.example.com/strandline', 'webhook'],
  ['http://discord.com.evil.example/api/webhooks/1/x', 'webhook'],
  ['not an address', null],
  ['javascript:alert(1)', null],
  ['', null],
])('%s is recognized as %s', (pasted, kind) => expect(recognizeAddress(pasted)?.kindName ?? null).toBe(kind));
