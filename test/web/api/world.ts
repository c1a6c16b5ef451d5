/** The API over a small world with data of every kind: two days of a simulated topic, and a paid search. */
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { DAY } from '../../../src/lib/time.ts';
import { createServiceKey, createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createShare } from '../../../src/monitor/access/manage-shares.ts';
import { saveView } from '../../../src/monitor/access/manage-views.ts';
import { createFeed } from '../../../src/monitor/feeds/manage-feeds.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { readDigest } from '../../../src/monitor/digests/read-digest.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { setName } from '../../../src/monitor/names/manage-names.ts';
import { addSource } from '../../../src/monitor/sources/manage-sources.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { watchTopic } from '../../../src/monitor/topics/save-topic.ts';
import { CHECK_PATH, type CheckedSource } from '../../../src/protocol/own-sources.ts';
import { simulate } from '../../../src/app/simulation.ts';
import { homeOf } from '../../cli/stand.ts';
import { filledDatabase, type TestDatabase } from '../../database.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { createStandInJudge } from '../../stand-in-judge.ts';
import { createStandInTranslator } from '../../stand-in-translator.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import { makeReal } from '../../real-data.ts';
import { makeWorld, START, type World } from '../../world.ts';

export type ApiWorld = {
  world: World;
  stub: StubService;
  app: App;
  /** Of a token that may do everything. */
  headers: { authorization: string };
  close(): Promise<void>;
};

/** What the examples of the document speak of is there: topic `harbour-ferry`, its searches, and the first id of each thing. */
export async function seededApi(): Promise<ApiWorld> {
  const stub = await startStub(paid);
  const world = await makeWorld({
    judge: createStandInJudge(),
    translator: createStandInTranslator(),
    hosted: stub.url,
    env: { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' },
    database: await filledDatabase('api', simulateFerry),
  });
  const { ctx } = world;
  const { firstRunId } = await createSearch(ctx, {
    slug: 'harbour-paid',
    topic: 'harbour-ferry',
    operation: 'microblog',
    prompt: 'harbour ferry',
    service: 'hosted',
    every: '1h',
  });
  await executeRun(ctx, firstRunId);
  await setName(ctx, 'harbour-ferry', { name: 'Harbour Line', aliases: ['Harbour ferry'] });
  await derivePending(ctx, { settleMs: null });
  await followStories(ctx.db, { batches: 10 });
  await alerted(world, stub.url);
  await digested(world);
  await addSource(ctx, 'harbour-ferry', { address: 'https://port.example/notices.xml', untested: true });
  await createFeed(ctx, { topic: 'harbour-ferry', query: 'ferry -cancelled' });
  await saveView(ctx, { name: 'Ferry', address: '/topics/harbour-ferry' });
  await createShare(ctx, { address: '/topics/harbour-ferry', expires_in: '7d' });
  // The first token is there to be closed; the second is the test's.
  await createToken(ctx, { name: 'of a program', scopes: ['read'] }, OPERATOR);
  const { key } = await createToken(ctx, { name: 'of the test', scopes: ['admin'] }, OPERATOR);
  await createServiceKey(ctx, { name: 'of a client' });
  const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] }, UNLIMITED);
  return {
    world,
    stub,
    app,
    headers: { authorization: `Bearer ${key}` },
    close: async () => {
      await app.close();
      await stub.close();
      await world.close();
    },
  };
}

/** Two days until the start of the world. */
async function simulateFerry(database: TestDatabase): Promise<void> {
  const { ctx, db } = await makeWorld({ database });
  const to = new Date(START);
  await simulate(ctx, {
    from: new Date(to.getTime() - 2 * DAY),
    to,
    prepare: async (past) => {
      const watched = { text: 'harbour ferry', postsEvery: '2h', aiEvery: '8h' };
      const { created } = await watchTopic(past, { ...watched, service: 'sandbox' });
      return created.map(({ search }) => search.slug);
    },
  });
  await makeReal(db);
  await db.close();
}

/** A channel, a rule that tells it, and a message that was given up. */
async function alerted({ ctx, db }: World, address: string): Promise<void> {
  const { channel } = await createChannel(ctx, { slug: 'ops', webhook: address });
  const rule = await createRule(ctx, { slug: 'ferry-news', topic: 'harbour-ferry', channels: ['ops'] });
  await db.pool.query(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts)
     VALUES ('msg_1', $1, $2, 'dead', 'given up', '{}', $3, $3, 11)`,
    [channel.id, rule.id, ctx.clock.now()],
  );
}

/** More requests than any test makes. */
/** A digest of the last day, as it is stored: sent to nobody, so that no message is due. */
async function digested({ ctx, db }: World): Promise<void> {
  const until = ctx.clock.now();
  const from = new Date(until.getTime() - DAY);
  const value = await readDigest(ctx, { topic: 'harbour-ferry', from, until, tz: 'UTC' });
  await db.pool.query(
    `INSERT INTO strandline.digests (rule_id, due_at, created_at, state, reason, from_at, until_at, last_discovery, value)
     SELECT min(id), $1, $1, 'kept', 'no channel was active', $2, $1, 0, $3 FROM strandline.rules`,
    [until, from, JSON.stringify(value)],
  );
}

const UNLIMITED = { perMinute: 1_000_000, runsPerMinute: 1_000_000 };

/** What the own service says of the address of a source. */
const CHECKED: CheckedSource = {
  found: 'feed',
  feed: null,
  title: 'Notices of the port',
  entries: 1,
  newest: { title: 'The ferry sails at nine', at: '2026-11-21T09:00:00.000Z' },
  problem: null,
};

/** A post that can be read, an item that cannot, and a price. */
const paid: Parameters<typeof startStub>[0] = (request, response) => {
  if (request.path === CHECK_PATH) return json(CHECKED)(request, response);
  response.setHeader('X-Search-Cost-Usd', '0.004');
  return json({ miner_tweets: [wirePost('1'), 'no post'] })(request, response);
};
