/** A watched page, from its text to the discoveries of a search: what it says new is discovered once. */

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { accessServices } from '../../src/app/service-access.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readAllowed } from '../../src/platform/network.ts';
import { openFeedParser } from '../../src/service/sources/feeds/feed-parser.ts';
import { FEEDS, feeds } from '../../src/service/sources/providers/feeds.ts';
import { SOURCE_REGISTRY } from '../../src/service/sources/source-registry.ts';
import { startProvider, text } from '../service/sources/provider.ts';
import { makeWorld } from '../world.ts';

const parser = openFeedParser(createLogger('silent'));
beforeAll(async () => {
  const order = { address: 'https://a.example/', contentType: '' };
  const parse = () => parser.parse(Buffer.from('<rss><channel/></rss>'), order, new AbortController().signal);
  // A busy machine may take longer to start it than a document may take.
  await vi.waitFor(parse, { timeout: 280_000, interval: 100 });
});
afterAll(() => parser.close());

const page = (...texts: string[]) =>
  text(
    `<html><title>Notices of the harbour</title><main>${texts.map((each) => `<p>${each}</p>`).join('')}</main>`,
  );
const BRIDGE = 'The bridge to the ferry is closed until further notice.';
const NINE = 'From Monday the ferry leaves at nine.';
const FRIDAY = 'On Friday the ferry to the harbour does not sail.';

test('the new text of a page is discovered once, with the time at which it appeared', async () => {
  const site = await startProvider(page(BRIDGE, NINE));
  const at = site.url.replace('127.0.0.1', 'harbour.example');
  const registered = [...SOURCE_REGISTRY];
  // Its name leads here; nothing else differs from PAGES.
  const watched = () =>
    feeds({
      list: [],
      pages: [`${at}/notices`],
      allowed: readAllowed('harbour.example', 'FEEDS_ALLOW'),
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      openParser: () => ({ ...parser, close: async () => {} }),
    });
  Object.assign(
    SOURCE_REGISTRY,
    registered.map((source) => (source === FEEDS ? { ...FEEDS, open: watched } : source)),
  );
  const world = await makeWorld({ env: { SERVICE_SOURCES: 'feeds' }, kind: 'real' });
  const { config, clock, log, db } = world.ctx;
  const services = accessServices({ config, clock, log, db, open: false });
  onTestFinished(async () => {
    Object.assign(SOURCE_REGISTRY, registered);
    await services.close();
    await world.close();
  });
  const ctx = { ...world.ctx, endpoint: services.endpoint, ownSources: services.ownSources };
  const discovered = async () =>
    (
      await db.pool.query<{ text: string; url: string; baseline: boolean; created_at: Date | null }>(
        `SELECT text, url, baseline, created_at FROM strandline_analytics.discoveries
         WHERE kind = 'link' ORDER BY text`,
      )
    ).rows;
  const { firstRunId } = await createSearch(ctx, {
    slug: 'ferry',
    prompt: 'harbour ferry',
    operation: 'ai',
    tools: ['web'],
    date_filter: 'PAST_WEEK',
    every: '15m',
  });
  const runAgain = async () => {
    world.clock.advance(15 * 60_000);
    const { runId } = await insertManualRun(ctx, 'ferry');
    return executeRun(ctx, runId);
  };

  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'succeeded', links: 2 });
  const before = await discovered();
  expect(before).toMatchObject([
    { text: NINE, baseline: true, created_at: null },
    { text: BRIDGE, baseline: true, created_at: null },
  ]);
  expect(await runAgain()).toMatchObject({ status: 'succeeded', links: 2 });
  expect(await discovered()).toEqual(before);

  site.answers(page(FRIDAY, BRIDGE, NINE));
  expect(await runAgain()).toMatchObject({ status: 'succeeded', links: 3 });
  const appeared = world.clock.now();
  expect(await runAgain()).toMatchObject({ status: 'succeeded', links: 3 });
  const isKnown = new Set(before.map(({ url }) => url));
  expect((await discovered()).filter(({ url }) => !isKnown.has(url))).toEqual([
    {
      text: FRIDAY,
      url: expect.stringContaining(`${at}/notices#`) as string,
      baseline: false,
      created_at: appeared,
    },
  ]);
});
