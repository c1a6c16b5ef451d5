/** The dashboard over twelve simulated days, on its own address, for a browser. */
import { readConfig } from '../../src/config/config.ts';
import type { WebServer } from '../../src/app/http-server.ts';
import { HOUR } from '../../src/lib/time.ts';
import { createShare } from '../../src/monitor/access/manage-shares.ts';
import { createToken, OPERATOR, revokeToken } from '../../src/monitor/access/manage-tokens.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import type { Database } from '../../src/store/db/database.ts';
import { startWeb } from '../../src/app/web-server.ts';
import { homeOf } from '../cli/stand.ts';
import { type History, liveHistory } from '../house/questions/history.ts';
import { json, startStub, type StubService } from '../stub-service.ts';

/** Ids of what is worth a page, of this history. */
export type Ids = Record<
  | 'post'
  | 'copied'
  | 'story'
  | 'link'
  | 'author'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'sent'
  | 'unsent'
  | 'digest'
  | 'shared'
  | 'sharedAnswers'
  | 'sharedOverview',
  string
>;

type StoredIds = Omit<Ids, 'shared' | 'sharedAnswers' | 'sharedOverview'>;

export type Stage = { history: History; web: WebServer; ids: Ids; close(): Promise<void> };

export async function openStage(): Promise<Stage> {
  const [history, receiver] = await Promise.all([
    liveHistory(),
    startStub((request, response) => json({}, request.path === '/away' ? 503 : 200)(request, response)),
  ]);
  const { world } = history;
  const ctx = withAlerts(world.ctx);
  await tellOfWhatComes(ctx, world.clock, receiver);
  await copyPosts(world.db, 'trains');
  while (!(await fillArchive(world.db, { batches: 50 })));
  while (!(await followStories(world.db, { batches: 50 })));
  // A list of one: as none is valid any more, visitors have access as before.
  const { prefix } = await createToken(ctx, { name: 'a program', scopes: ['read'] }, OPERATOR);
  await revokeToken(ctx, prefix);
  const web = await startWeb(homeOf({ ...world, ctx }));
  return {
    history,
    web,
    ids: { ...(await idsOf(world.db)), ...(await sharePages(ctx)) },
    close: async () => {
      await web.close();
      await receiver.close();
      await history.close();
    },
  };
}

function withAlerts(ctx: ActingContext): ActingContext {
  const { masterKey, webhook } = readConfig({
    MASTER_KEY: 'of the test, which seals nothing that matters',
    WEBHOOK_ALLOW: '127.0.0.1',
  });
  return { ...ctx, config: { ...ctx.config, masterKey, webhook, http: { ...ctx.config.http, port: 0 } } };
}

/** A rule and two channels, one of which does not respond, and a run with discoveries for them. */
async function tellOfWhatComes(
  ctx: ActingContext,
  clock: History['world']['clock'],
  receiver: StubService,
): Promise<void> {
  const ops = await createChannel(ctx, { slug: 'ops', webhook: `${receiver.url}/hook` });
  const night = await createChannel(ctx, { slug: 'night-desk', webhook: `${receiver.url}/away` });
  const channels = ['ops', 'night-desk'];
  await createRule(ctx, { slug: 'trains-at-night', name: 'Trains at night', topic: 'trains', channels });
  clock.advance(3 * HOUR);
  const { runId } = await insertManualRun(ctx, 'trains-posts');
  await executeRun(ctx, runId);
  await derivePending(ctx, { settleMs: null });
  await evaluateRules(ctx);
  for (const { channel } of [ops, night])
    await deliverDueMessages(ctx, channel.id, new AbortController().signal);
  const mornings = await createRule(ctx, {
    slug: 'mornings',
    name: 'Every morning',
    digest: '0 8 * * *',
    channels: ['ops'],
  });
  await ctx.db.pool.query(
    `INSERT INTO strandline.digests (rule_id, due_at, created_at, state) VALUES ($1, $2, $3, 'planned')`,
    [mornings.id, clock.now(), new Date(clock.now().getTime() - HOUR)],
  );
  await composeDigests(ctx);
}

/** The keys of links to pages. */
async function sharePages(
  ctx: ActingContext,
): Promise<Pick<Ids, 'shared' | 'sharedAnswers' | 'sharedOverview'>> {
  const share = async (address: string) => (await createShare(ctx, { address, expires_in: '7d' })).key;
  return {
    shared: await share('/topics/trains?range=30d&tab=posts'),
    sharedAnswers: await share('/searches/trains-ai/completions'),
    sharedOverview: await share('/?range=7d'),
  };
}

/** The newest three posts that a topic reported have one text. */
async function copyPosts(db: Database, topic: string): Promise<void> {
  await db.pool.query(
    `UPDATE strandline.posts p SET text = $2 FROM (
       SELECT d.thing FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
       JOIN strandline.topics t ON t.id = s.topic_id
       WHERE t.slug = $1 AND d.kind = 'post' AND d.first_in_topic AND NOT d.baseline ORDER BY d.id DESC LIMIT 3
     ) newest WHERE p.id = newest.thing`,
    [topic, 'The night train to the harbor leaves twenty minutes late, says the timetable of the station'],
  );
}

async function idsOf({ pool }: Database): Promise<StoredIds> {
  const { rows } = await pool.query<StoredIds>(
    `SELECT
       (SELECT id FROM strandline_analytics.posts WHERE like_count > 20 ORDER BY id LIMIT 1) AS post,
       (SELECT min(item_id) FROM strandline_analytics.story_items WHERE kind = 'post'
          GROUP BY story_id HAVING count(*) > 2 ORDER BY 1 LIMIT 1) AS copied,
       (SELECT id FROM strandline_analytics.stories ORDER BY members DESC, id LIMIT 1) AS story,
       (SELECT id FROM strandline_analytics.links ORDER BY id LIMIT 1) AS link,
       (SELECT id FROM strandline_analytics.authors ORDER BY id LIMIT 1) AS author,
       (SELECT id FROM strandline_analytics.runs WHERE status = 'succeeded' AND search = 'trains-ai'
          ORDER BY id DESC LIMIT 1) AS succeeded,
       (SELECT id FROM strandline_analytics.runs WHERE status = 'failed' LIMIT 1) AS failed,
       (SELECT id FROM strandline_analytics.runs WHERE status = 'skipped' LIMIT 1) AS skipped,
       (SELECT id FROM strandline_analytics.deliveries WHERE state = 'delivered' LIMIT 1) AS sent,
       (SELECT id FROM strandline_analytics.deliveries WHERE state = 'pending' LIMIT 1) AS unsent,
       (SELECT id FROM strandline.digests WHERE state <> 'planned' LIMIT 1) AS digest`,
  );
  const [ids] = rows;
  const missing = Object.entries(ids ?? {}).filter(([, id]) => id === null);
  if (ids === undefined || missing.length > 0)
    throw new Error(`the history has no ${missing.map(([name]) => name).join(', no ')}`);
  return ids;
}
