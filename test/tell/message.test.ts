/** Messages match their schema, and the command line shows them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { webhookKind } from '../../src/monitor/alerts/channels/webhook.ts';
import { describeDiscoveries, DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import type {
  FeedEntry,
  FeedLink,
  FeedPost,
  FeedSpike,
} from '../../src/store/alerts/reportable-discoveries.ts';
import { runCli } from '../../src/cli/command-line.ts';
import { Writable } from 'node:stream';
import { homeOf } from '../cli/stand.ts';
import { status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const AT = new Date('2026-11-21T12:00:00Z');
const common = {
  at: AT,
  baseline: false,
  run_id: 3n,
  search_id: 1n,
  search: 's',
  topic_id: 1n,
  topic: 't',
  service_kind: 'sandbox',
  first_in_topic: true,
  first_of_kind: true,
  has_goal: false,
  key: null,
} as const;
const post: FeedPost = {
  id: 9_007_199_254_740_993n,
  external_id: 'x',
  url: null,
  author_username: null,
  author_name: null,
  lang: null,
  hashtags: [],
  text: '😀'.repeat(1_500),
  created_at: null,
  like_count: null,
  repost_count: 0,
  reply_count: 1,
  quote_count: 2,
  view_count: 3,
};
const link: FeedLink = {
  id: 2n,
  url: 'https://h/',
  site: 'h',
  title: null,
  snippet: 's',
  published_at: AT,
  post,
};
const spike: FeedSpike = {
  id: 4n,
  measure: 'posts',
  sentence: 'More.',
  window_start: AT,
  window_end: AT,
  n: 9,
  lower_bound: false,
  coverage: 1,
  usual: 1,
  mean: 1,
  sd: 1,
  score: 8,
  threshold: 3,
  days: 14,
  windows: 20,
  sensitivity: 'normal',
  provisional: false,
  only_by: null,
  why: null,
};
const found: FeedEntry[] = [
  { ...common, id: 1n, kind: 'post', post },
  { ...common, id: 2n, kind: 'link', link },
  { ...common, id: 3n, kind: 'spike', spike },
];

test.each([
  ['of one run', found, 'https://host/runs/3'],
  [
    'of several runs',
    [...found, { ...common, run_id: 4n, id: 4n, kind: 'link', link } satisfies FeedEntry],
    'https://host/searches/s',
  ],
])('a message %s has the documented form', (_, some, address) => {
  const ids = [...some.map(({ id }) => id), 99n];
  const rule = { slug: 'r', name: 'R' };
  const described = describeDiscoveries({
    rule,
    entries: some,
    names: new Map([['s', { topic: 'T', search: 'Posts', full: 'T: Posts' }]]),
    ids,
    counts: { post: 2 },
    muted: null,
    limit: { per_day: 5, number: 1, waited: false, rest_of_day: 'any' },
    at: AT,
    baseUrl: 'https://host/',
  });
  const body = webhookKind.compose(described);
  const message = DiscoveriesMessage.parse(JSON.parse(body));
  // What is not documented would be left out.
  expect(message).toEqual(JSON.parse(body));
  const { data } = message;
  expect(data).toMatchObject({ link: address, total: ids.length, further_ids: ['99'] });
  expect(data.discoveries[0]).toMatchObject({
    simulated: true,
    post: { id: '9007199254740993', like_count: null },
  });
  expect(body.isWellFormed()).toBe(true);
  const broken = JSON.parse(body.replace('"kind":"post"', '"kind":"link"')) as unknown; // to see that the schema can refuse
  expect(DiscoveriesMessage.safeParse(broken).success).toBe(false);
});

test('the message in the documentation is valid', async () => {
  const page = await readFile(new URL('../../docs/reference/alerts.md', import.meta.url), 'utf8');
  const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  expect(DiscoveriesMessage.parse(shown)).toEqual(shown);
});

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        texts[name] += chunk.toString('utf8');
        done();
      },
    });
  const io = { stdout: into('out'), stderr: into('err'), env: {}, isTTY: false };
  const code = await runCli(argv, io, { open: () => Promise.resolve(homeOf(stage.world)) });
  return { code, ...texts };
}

test('creates a channel, a rule and its messages on the command line', async () => {
  const search = await stage.search('cli');
  const added = await run('channels', 'add', 'cli', '--webhook', `${stage.receiver.url}/secret-path`);
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^whsec_\S{44}\n$/) as unknown });
  expect(
    (
      await run(
        'rules',
        'add',
        'cli',
        '--search',
        'cli',
        '--on',
        'post',
        '--channel',
        'cli',
        '--cooldown',
        '1h',
      )
    ).code,
  ).toBe(0);
  stage.receiver.answers(status(500, {}, 'sorry'));
  expect(await run('channels', 'test', 'cli')).toMatchObject({
    code: 1,
    err: expect.stringContaining('sorry') as unknown,
  });
  const { id } = JSON.parse((await run('channels', 'show', 'cli', '--json')).out) as { id: string }; // what it printed
  stage.receiver.answers(status(410));
  await stage.finds(search, 2);
  await stage.tell(BigInt(id));
  const [dead] = JSON.parse((await run('deliveries', 'list', '--state', 'dead', '--json')).out) as {
    id: string;
    discoveries: number;
  }[]; // what it printed
  expect(dead).toMatchObject({ discoveries: 2 });
  expect((await run('deliveries', 'show', dead?.id ?? '')).out).toContain('strandline.discoveries');
  expect((await run('channels', 'list')).out).toContain('disabled');
  stage.receiver.answers(status(200));
  expect((await run('channels', 'resume', 'cli')).code).toBe(0);
  expect((await run('deliveries', 'resend', '--channel', 'cli')).err).toContain('1 message');
  expect(await stage.tell(BigInt(id))).toBe(1);
  const trial = JSON.parse((await run('rules', 'try', 'cli', '--json')).out) as {
    since: string;
    until: string;
  }; // what it printed
  expect(trial).toMatchObject({ total: 2 });
  // As many days as the preview of a new rule.
  expect(Date.parse(trial.until) - Date.parse(trial.since)).toBe(14 * DAY);
  expect(await run('rules', 'edit', 'cli', '--filter', '"open')).toMatchObject({ code: 2 });
  expect(await run('rules', 'remove', 'nothing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no rule') as unknown,
  });
  expect(await run('deliveries', 'resend')).toMatchObject({ code: 2 });
  for (const command of ['channels', 'rules', 'deliveries'])
    expect((await run(command, 'list', '--json')).out).not.toContain('secret-path');
});
