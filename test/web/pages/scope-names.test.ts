/** Where a person reads, topics, searches and rules have their names; slugs are in addresses only. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { composeDigests } from '../../../src/monitor/alerts/compose-digests.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { dismiss } from '../../../src/monitor/alerts/dismissals.ts';
import { mute } from '../../../src/monitor/alerts/manage-mutes.ts';
import { checkSystem } from '../../../src/monitor/system-events/check-system.ts';
import { parseFutureTime } from '../../../src/lib/future-time.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { fillArchive } from '../../../src/store/archive/index-archive.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, startStub, type StubService, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { fillPath } from '../page-addresses.ts';
import { type Person, personAt, textOf } from './person.ts';

const NAMES = {
  topics: 'topic-slug',
  searches: 'search-slug',
  rules: 'rule-slug',
  channels: 'ops',
  exports: 'posts',
  evidence: 'post',
};
/** The same pages with other contents. */
const MORE = [
  '/topics/topic-slug?range=7d&tab=posts',
  '/topics/topic-slug?range=7d&tab=answers',
  '/topics/topic-slug?range=7d&tab=voices',
  '/searches/answers-slug',
  '/searches/answers-slug/completions',
  '/searches/answers-slug/edit',
  '/searches/answers-slug/links?range=all',
  '/runs/3',
  '/runs/4',
  '/new?topic=topic-slug',
  '/compare?topics=topic-slug,topic-slug-2',
  '/evidence/completion/4',
  '/evidence/link/1',
  '/alerts/mute?rule=rule-slug',
  '/alerts/mute?topic=topic-slug',
  '/alerts/rules/new?topic=topic-slug',
  '/alerts/rules/new?search=search-slug',
  '/alerts/rules/everything-slug',
  '/alerts/deliveries?rule=rule-slug',
  '/digests?topic=topic-slug',
  '/alerts/feeds?topic=topic-slug',
  '/alerts/feeds?search=search-slug',
  '/topics/topic-slug/dismissed?post=2',
  '/selection?do=remove&topics=topic-slug,topic-slug-2',
  '/selection?do=label&topics=topic-slug,topic-slug-2',
  '/shares/new?address=/topics/topic-slug',
  '/runs?topic=topic-slug',
  '/runs?search=search-slug',
];
/** About programs: the reference of the API, SQL, the log of changes. */
const OF_PROGRAMS = /^\/(?:docs|explore\/sql|system\/audit)/;

let stub: StubService;
let world: World;
let person: Person;
let pages: string[];

beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url, env: { PORT: '0', WEBHOOK_ALLOW: '127.0.0.1' } });
  await plant();
  const app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
  const routes = app.routeTable.filter(({ method, url }) => method === 'GET' && !url.startsWith('/api/'));
  pages = [...routes.map(({ url }) => fillPath(url, NAMES)), ...MORE];
}, 120_000);
afterAll(async () => {
  await world.close();
  await stub.close();
});

/** Two topics, of which one has two searches, two runs of each, and what follows from them. */
async function plant(): Promise<void> {
  const { ctx, db, clock } = world;
  const post = (n: number) =>
    wirePost(String(n), {
      text: `The lantern of the pier is lit again after ${n > 3 ? 3 : n} winters https://lit.example/lantern`,
      entities: { hashtags: [{ text: 'lit' }], urls: [{ expanded_url: 'https://lit.example/lantern' }] },
    });
  const link = (n: number) => ({
    title: `Lantern ${n}`,
    link: `https://lit.example/${n}`,
    snippet: 'It is lit.',
  });
  const watched = await createTopic(ctx, {
    name: 'Night ferry',
    slug: 'topic-slug',
    searches: [
      { slug: 'search-slug', operation: 'microblog', prompt: 'ferry', every: '1h' },
      { slug: 'answers-slug', operation: 'ai', prompt: 'What of the ferry?', every: '1h' },
    ],
  });
  const second = await createTopic(ctx, {
    name: 'Second ferry',
    slug: 'topic-slug-2',
    searches: [{ slug: 'search-slug-2', operation: 'microblog', prompt: 'second ferry', every: '1h' }],
  });
  const { channel } = await createChannel(ctx, { slug: 'ops', webhook: stub.url });
  const rule = await createRule(ctx, {
    slug: 'rule-slug',
    name: 'Ferry at night',
    topic: 'topic-slug',
    channels: ['ops'],
  });
  await createRule(ctx, {
    slug: 'everything-slug',
    name: 'All of it',
    search: 'search-slug',
    channels: ['ops'],
  });
  const runs = watched.created.map(({ firstRunId }) => firstRunId);
  for (const n of [1, 5]) {
    for (const [i, slug] of ['search-slug', 'answers-slug'].entries()) {
      const upTo = Array.from({ length: n }, (_, at) => at + 1);
      stub.answers(
        json(
          i === 0
            ? { miner_tweets: upTo.map(post) }
            : {
                hacker_news_search_results: { organic_results: upTo.map(link) },
                completion: { summary: `The lantern is lit by ${n} people [1].` },
              },
        ),
      );
      await executeRun(ctx, n === 1 ? (runs[i] ?? 0n) : (await insertManualRun(ctx, slug)).runId);
      clock.advance(60_000);
    }
  }
  await db.pool.query(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts)
     VALUES ('msg_1', $1, $2, 'dead', 'given up', '{}', $3, $3, 11)`,
    [channel.id, rule.id, clock.now()],
  );
  const digest = await createRule(ctx, {
    slug: 'digest-slug',
    name: 'Every morning',
    topic: 'topic-slug',
    digest: '0 8 * * *',
    channels: ['ops'],
  });
  await db.pool.query(
    `INSERT INTO strandline.digests (rule_id, due_at, created_at, state) VALUES ($1, $2, $3, 'planned')`,
    [digest.id, clock.now(), new Date(clock.now().getTime() - 3_600_000)],
  );
  await composeDigests(ctx);
  await world.derive();
  while (!(await fillArchive(db, { batches: 5 })));
  while (!(await followStories(db, { batches: 5 })));
  const evening = parseFutureTime('2h', 'UTC');
  if (evening === undefined) throw new Error('it is a time');
  await mute(ctx, { scope: 'rule', slug: 'rule-slug' }, evening);
  await mute(ctx, { scope: 'topic', slug: 'topic-slug' }, evening);
  // The service refuses the key, which stops the second topic.
  stub.answers(json({}, 401));
  for (const { firstRunId } of second.created) await executeRun(ctx, firstRunId);
  await checkSystem(ctx);
  await dismiss(ctx, { topic: 'topic-slug', kind: 'post', id: 1n });
}

test('no page says a slug', async () => {
  const said: string[] = [];
  let named = 0;
  for (const address of pages) {
    const { html } = await person.get(address);
    if (!html.startsWith('<!doctype html>') || OF_PROGRAMS.test(address)) continue;
    // A field of a form is no text, and an address has the slug.
    const words = textOf(html.replaceAll(/<code>[^<]*<\/code>/g, ''))
      .replaceAll(/https?:\S+/g, '')
      .replaceAll(/Short name \S+/g, '');
    if (/Night ferry/.test(words)) named += 1;
    for (const [found] of words.matchAll(
      /.{0,40}\b(?:topic|search|answers|rule|everything|digest)-slug.{0,20}/g,
    ))
      said.push(`${address}: ${found}`);
    for (const [found] of html.matchAll(/aria-label="[^"]*-slug[^"]*"/g)) said.push(`${address}: ${found}`);
  }
  expect(said).toEqual([]);
  // So that the walk cannot pass because nothing was found.
  expect(named).toBeGreaterThan(40);
}, 120_000);
