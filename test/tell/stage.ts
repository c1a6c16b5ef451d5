/** A world with searches that find things, and a receiver that is notified. */
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { newRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { type DeliveryRow, readDeliveries } from '../../src/store/alerts/alert-queries.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World, type WorldOptions } from '../world.ts';
import { type Receiver, startReceiver } from './receiver.ts';

type Wire = Record<string, unknown>;

export type Stage = {
  world: World;
  receiver: Receiver;
  /** A search after its baseline, so that its discoveries are new. */
  search(slug: string, topic?: string): Promise<Search>;
  /** An AI search after its baseline, an answer of these words. */
  asks(slug: string, answer: string): Promise<Search>;
  /** A run whose completion has this summary. @returns the run */
  answers(search: Search, summary: string): Promise<Id>;
  /** A run that found posts with these texts, or as many as are asked for. @returns the run */
  finds(search: Search, posts: number | readonly (string | Wire)[]): Promise<Id>;
  /** A channel at a path of the receiver. @returns its id */
  channel(slug: string): Promise<Id>;
  /** A rule on posts for that channel or those. */
  rule(slug: string, channels: string | string[], more?: Partial<z.input<typeof newRule>>): Promise<void>;
  /** Judges what is new and sends what is due, as workers would. @returns how many messages were taken */
  tell(...channels: Id[]): Promise<number>;
  deliveries(channel: string): Promise<DeliveryRow[]>;
  rows: (sql: string, values?: unknown[]) => Promise<ReturnType<typeof JSON.parse>[]>;
  close(): Promise<void>;
};

export async function openStage(
  env: Record<string, string> = {},
  options: Pick<WorldOptions, 'briefWriter' | 'translator'> = {},
): Promise<Stage> {
  const receiver = await startReceiver();
  const world = await makeWorld({
    hosted: 'http://127.0.0.1:1',
    ...options,
    env: { MASTER_KEY: randomBytes(32).toString('base64'), WEBHOOK_ALLOW: '127.0.0.1', ...env },
  });
  const { ctx } = world;
  let posts = 0;
  const never = new AbortController().signal;

  const save = async (search: Search, operation: 'ai' | 'microblog', body: unknown): Promise<Id> => {
    const now = world.clock.now();
    const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now });
    const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now });
    if (leased === null) throw new Error('not leased');
    const saved = await saveFindings(world.db, {
      runId,
      fence: leased.fence,
      searchId: search.id,
      serviceId: search.service_id,
      findings: parseResponse({
        operation,
        body: JSON.stringify(body),
        contentType: 'application/json',
        dialect: loadDialect('named'),
      }),
      observedAt: now,
      endedAt: now,
    });
    if (saved === null) throw new Error('not saved');
    return runId;
  };
  const create = async (slug: string, topic: string, operation: 'ai' | 'microblog'): Promise<Search> => {
    const { search } = await createSearch(ctx, { slug, topic, operation, prompt: slug, every: '1d' });
    await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
    return search;
  };
  const answers: Stage['answers'] = (search, summary) => save(search, 'ai', { completion: { summary } });

  const finds: Stage['finds'] = async (search, given) => {
    const wanted = typeof given === 'number' ? Array.from({ length: given }, () => 'a post') : given;
    const wire = wanted.map((one) => {
      const members = typeof one === 'string' ? { text: one } : one;
      return wirePost(String(1_000_000 + posts++), {
        created_at: world.clock.now().toISOString(),
        ...members,
      });
    });
    return save(search, 'microblog', { miner_tweets: wire });
  };

  return {
    world,
    receiver,
    finds,
    answers,
    search: async (slug, topic = slug) => {
      const search = await create(slug, topic, 'microblog');
      await finds(search, 2);
      return search;
    },
    asks: async (slug, answer) => {
      const search = await create(slug, slug, 'ai');
      await answers(search, answer);
      return search;
    },
    channel: async (slug) =>
      (await createChannel(ctx, { slug, webhook: `${receiver.url}/${slug}` })).channel.id,
    rule: async (slug, channels, more = {}) => {
      const rule = { slug, on: ['post'], cooldown: '0', channels: [channels].flat(), ...more };
      await createRule(ctx, decodeInput(newRule, rule));
    },
    tell: async (...channels) => {
      await evaluateRules(ctx);
      const counts = await Promise.all(channels.map((id) => deliverDueMessages(ctx, id, never)));
      return counts.reduce((sum, n) => sum + n, 0);
    },
    deliveries: (channel) => readDeliveries(world.db, { channel, limit: 1_000 }),
    rows: async (sql, values = []) => (await world.db.pool.query(sql, values)).rows,
    close: async () => {
      await world.close();
      await receiver.close();
    },
  };
}
