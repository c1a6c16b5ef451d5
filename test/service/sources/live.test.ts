import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { steppedClock, systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import type { Adapter, AdapterContext } from '../../../src/service/sources/adapter.ts';
import { readPages } from '../../../src/service/sources/provider-query.ts';
import { item, pending, startLive } from './living.ts';
import { memoryPorts } from './memory-ports.ts';
import { everyWordOf, json, NOW, outageOf, query, startProvider, text } from './provider.ts';

const never = () => new Promise<never>(() => {});
const failing =
  (...down: ConstructorParameters<typeof SourceDown>) =>
  () =>
    Promise.reject(new SourceDown(...down));

/** One request, and nothing found. */
const asksOnce =
  (url: string): Adapter['find'] =>
  async (_, { ask }) => {
    await ask({ url: new URL(url) });
    return [];
  };

/** Counts how often it is asked, and answers with the number. */
function counting(more: Partial<Adapter> = {}) {
  let asked = 0;
  const live = startLive({ ...more, find: async () => [item((asked += 1))] });
  return { ...live, asked: () => asked };
}

describe('the cache', () => {
  const days = (n: number) => ({ from: new Date(NOW.getTime() - n * DAY) });

  test.each<[string, Partial<SourceQuery>, number]>([
    ['of a day', days(1), MINUTE],
    ['of a week', days(7), 10 * MINUTE],
    ['without a start', { from: undefined }, MINUTE],
  ])('keeps a window %s for its lifetime', async (_, window, ttlMs) => {
    const { source, clock, asked } = counting();
    const first = await source.find(query(window));
    clock.advance(ttlMs);
    expect(await source.find(query(window))).toEqual(first);
    expect(asked()).toBe(1);
    clock.advance(1);
    await source.find(query(window));
    expect(asked()).toBe(2);
  });

  test('keeps results as long as the adapter specifies', async () => {
    const { source, clock, asked } = counting({ ttlMs: 6 * HOUR });
    const now = () => query({ from: new Date(clock.now().getTime() - 7 * DAY), to: clock.now() });
    await source.find(now());
    clock.advance(6 * HOUR - 1);
    await source.find(now());
    expect(asked()).toBe(1);
  });

  test.each<[string, Partial<SourceQuery>, Partial<SourceQuery>, number]>([
    ['case and spaces', { prompt: 'Tidal  Turbines ' }, { prompt: 'tidal turbines' }, 1],
    ['the instant', {}, { from: new Date(NOW.getTime() - 7 * DAY + 5), to: new Date(NOW.getTime() + 5) }, 1],
    ['the prompt', {}, { prompt: 'tidal power' }, 2],
    ['the length of the window', days(7), days(14), 2],
    [
      'the end of a window of the past',
      { ...days(9), to: days(2).from },
      { ...days(14), to: days(7).from },
      2,
    ],
    ['the domains', {}, { domains: { include: ['a.example'], exclude: [] } }, 2],
    ['the limit', { limit: 10 }, { limit: 20 }, 2],
    ['the keywords', { keywords: ['a'] }, { keywords: ['b'] }, 2],
  ])('distinguishes requests by %s', async (_, one, other, asks) => {
    const { source, asked } = counting();
    await source.find(query(one));
    await source.find(query(other));
    expect(asked()).toBe(asks);
  });

  test('evicts the oldest entries, and never stores a failure', async () => {
    const { source, asked } = counting();
    for (let n = 0; n <= 200; n += 1) await source.find(query({ prompt: `p${n}` }));
    await source.find(query({ prompt: 'p200' }));
    expect(asked()).toBe(201);
    await source.find(query({ prompt: 'p0' }));
    expect(asked()).toBe(202);
    let down = true;
    const moody = startLive({
      find: async () => {
        if (down) throw new SourceDown('source_failed');
        return [];
      },
    });
    await outageOf(moody.source.find(query()));
    down = false;
    await expect(moody.source.find(query())).resolves.toEqual([]);
  });
});

describe('a shared request', () => {
  function held() {
    const answers: ReturnType<typeof pending<ReturnType<typeof item>[]>>[] = [];
    const signals: AbortSignal[] = [];
    const live = startLive({
      find: ({ signal }) => {
        const answer = pending<ReturnType<typeof item>[]>();
        answers.push(answer);
        signals.push(signal);
        return answer.promise;
      },
    });
    return { ...live, answers, signals };
  }

  test('serves identical concurrent searches', async () => {
    const { source, answers } = held();
    const both = [source.find(query()), source.find(query())];
    expect(answers).toHaveLength(1);
    answers[0]?.resolve([item()]);
    const [one, other] = await Promise.all(both);
    expect(one).toEqual([item()]);
    expect(other).toEqual(one);
  });

  test('outlives the caller that started it', async () => {
    const { source, answers, signals } = held();
    const gone = new AbortController();
    const first = source.find(query({ signal: gone.signal }));
    const second = source.find(query());
    gone.abort(new Error('the client is gone'));
    await expect(first).rejects.toThrow('the client is gone');
    expect(signals[0]?.aborted).toBe(false);
    answers[0]?.resolve([item()]);
    await expect(second).resolves.toEqual([item()]);
  });

  test('is aborted with its last caller; the next one starts another', async () => {
    const { source, answers, signals } = held();
    const [a, b] = [new AbortController(), new AbortController()];
    const waiting = [source.find(query({ signal: a.signal })), source.find(query({ signal: b.signal }))];
    a.abort(new Error('gone'));
    b.abort(new Error('gone'));
    await Promise.allSettled(waiting);
    expect(signals[0]?.aborted).toBe(true);
    const next = source.find(query());
    expect(answers).toHaveLength(2);
    answers[1]?.resolve([]);
    await expect(next).resolves.toEqual([]);
    expect((await source.health()).lastFailure).toBeUndefined();
  });

  test('fails for all callers', async () => {
    const { source, answers } = held();
    const both = [outageOf(source.find(query())), outageOf(source.find(query()))];
    answers[0]?.reject(new SourceDown('source_refused'));
    expect((await Promise.all(both)).map(({ code }) => code)).toEqual(['source_refused', 'source_refused']);
  });

  test('is not started for a caller that already left', async () => {
    const { source, answers } = held();
    await expect(source.find(query({ signal: AbortSignal.abort(new Error('gone')) }))).rejects.toThrow(
      'gone',
    );
    expect(answers).toHaveLength(0);
  });
});

describe('time limits', () => {
  test('a source that never responds costs no more than its time limit', async () => {
    const { source } = startLive({ timeoutMs: 30, find: never });
    expect((await outageOf(source.find(query()))).code).toBe('source_timeout');
  });

  test.each([
    ['of the platform', () => AbortSignal.timeout(20)],
    [
      'of the service',
      () => {
        const limit = new AbortController();
        setTimeout(() => limit.abort(new SourceDown('source_timeout')), 20);
        return limit.signal;
      },
    ],
  ])(
    'a caller whose time is up gets an error; it counts as a failure of the source (%s)',
    async (_, signal) => {
      const { source } = startLive({ find: never });
      for (let n = 0; n < 3; n += 1) {
        expect((await outageOf(source.find(query({ signal: signal() })))).code).toBe('source_timeout');
      }
      expect((await outageOf(source.find(query()))).code).toBe('source_resting');
    },
  );

  test('callers that disconnect do not count as failures', async () => {
    const { source } = startLive({ find: never });
    for (let n = 0; n < 5; n += 1) {
      const gone = new AbortController();
      const finding = source.find(query({ signal: gone.signal }));
      gone.abort(new Error('gone'));
      await expect(finding).rejects.toThrow('gone');
    }
    const health = await source.health();
    expect(health).toMatchObject({ openUntil: undefined, lastFailure: undefined });
  });
});

describe('failures', () => {
  test.each<[ConstructorParameters<typeof SourceDown>, Partial<Adapter>, number]>([
    [['source_busy', { retryAfterMs: 7 * SECOND }], { pauseMs: 5 * MINUTE }, 7 * SECOND],
    [['source_busy'], { pauseMs: 5 * MINUTE }, 5 * MINUTE],
    [['source_busy', { retryAfterMs: 0 }], { pauseMs: 5 * MINUTE }, 5 * MINUTE],
    [['source_busy'], {}, MINUTE],
    [['source_failed', { retryAfterMs: 90 * SECOND }], {}, 90 * SECOND],
    [['source_quota', { retryAfterMs: HOUR }], {}, HOUR],
  ])('%j opens the circuit immediately', async (down, more, pauseMs) => {
    const { source, clock, lines } = startLive({ ...more, find: failing(...down) });
    await outageOf(source.find(query()));
    expect((await source.health()).openUntil).toEqual(new Date(NOW.getTime() + pauseMs));
    expect(lines.join('')).toContain('"source":"tested"');
    clock.advance(pauseMs - 1);
    expect(await outageOf(source.find(query()))).toMatchObject({ unasked: true, retryAfterMs: 1 });
    clock.advance(1);
    expect((await outageOf(source.find(query()))).code).toBe(down[0]);
  });

  test.each<[ConstructorParameters<typeof SourceDown>, boolean]>([
    [['source_failed'], true],
    [['source_failed', { retryAfterMs: 0 }], true],
    [['source_refused'], true],
    [['source_quota'], false],
    [['source_needs_key'], false],
    [['source_busy', { unasked: true }], false],
  ])('three of %j open the circuit: %s', async (down, opens) => {
    const { source } = startLive({ find: failing(...down) });
    for (let n = 0; n < 3; n += 1) await outageOf(source.find(query()));
    expect((await source.health()).openUntil).toEqual(opens ? new Date(NOW.getTime() + MINUTE) : undefined);
  });

  test('errors, log lines and health contain no external text and no secret', async () => {
    const canary = 'sk-canary-0123456789';
    const errors: unknown[] = [];
    for (const error of [
      new SyntaxError(`Unexpected token ${canary}`),
      Object.assign(new Error('x'), { cause: canary }),
      canary,
    ]) {
      const live = startLive({ find: () => Promise.reject(error) });
      const outage = await outageOf(live.source.find(query()));
      expect(outage.code).toBe('source_failed');
      errors.push(everyWordOf(outage), live.lines.join(''), JSON.stringify(await live.source.health()));
    }
    expect(errors.join('\n')).not.toContain('canary');
    expect(errors.join('\n')).toContain('SyntaxError'); // where a mistake of ours happened is told
    expect(errors.join('\n')).toContain('live.test.ts');
  });

  test('health has the last success and the last failure', async () => {
    const outcomes = [async () => [item()], failing('source_failed', { detail: 'HTTP 503' })];
    const { source, clock } = startLive({ find: () => (outcomes.shift() ?? never)() });
    await source.find(query({ prompt: 'a' }));
    clock.advance(SECOND);
    await outageOf(source.find(query({ prompt: 'b' })));
    expect(await source.health()).toEqual({
      openUntil: undefined,
      allowance: undefined,
      lastSuccess: NOW,
      lastFailure: {
        at: new Date(NOW.getTime() + SECOND),
        code: 'source_failed',
        reason: 'failed: HTTP 503',
      },
      problems: [],
    });
  });
});

describe('pages', () => {
  /** One page that comes, and a second of which the test decides. */
  const paging = (second: (asking: AdapterContext) => Promise<never>): Adapter['find'] => {
    return (_, asking) =>
      readPages({ pages: 2, items: 99 }, asking, async (page) => {
        if (page > 0) await second(asking);
        return { items: [item()], isLast: false };
      });
  };

  test('pages before a failed one are returned for a minute, and the failure is logged and in health', async () => {
    const { source, clock, lines } = startLive({
      find: paging(failing('source_failed', { detail: 'HTTP 503' })),
    });
    expect(await source.find(query())).toEqual([item()]);
    expect(lines.join('')).toContain('failed: HTTP 503');
    expect(await source.health()).toMatchObject({
      lastSuccess: NOW,
      lastFailure: { at: NOW, reason: 'failed: HTTP 503' },
      openUntil: undefined,
    });
    clock.advance(MINUTE);
    await source.find(query());
    expect(lines).toHaveLength(1);
    clock.advance(1);
    await source.find(query());
    expect(lines).toHaveLength(2);
  });

  test('a pause requested by a later page is respected', async () => {
    const { source } = startLive({ find: paging(failing('source_busy', { retryAfterMs: 7 * SECOND })) });
    expect(await source.find(query())).toEqual([item()]);
    expect((await source.health()).openUntil).toEqual(new Date(NOW.getTime() + 7 * SECOND));
  });

  const asksFor = (url: string) => paging(({ ask }) => ask({ url: new URL(url) }).then(never));

  test('earlier pages are returned when the time of the caller is up', async () => {
    const limit = new AbortController();
    const provider = await startProvider(() => limit.abort(new SourceDown('source_timeout')));
    const { source } = startLive({ find: asksFor(provider.url) });
    expect(await source.find(query({ signal: limit.signal }))).toEqual([item()]);
    expect(provider.requests).toHaveLength(1);
  });

  test('earlier pages are returned when the time of the source is up', async () => {
    const provider = await startProvider(() => {}); // it never answers
    const { source } = startLive({ timeoutMs: 50, find: asksFor(provider.url) });
    expect(await source.find(query())).toEqual([item()]);
  });

  test('earlier pages are dropped when the caller has disconnected', async () => {
    const gone = new AbortController();
    const provider = await startProvider(() => gone.abort(new Error('gone')));
    const { source } = startLive({ find: asksFor(provider.url) });
    await expect(source.find(query({ signal: gone.signal }))).rejects.toThrow('gone');
    expect((await source.health()).lastFailure).toBeUndefined();
  });
});

describe('rate limiting', () => {
  test('requests beyond the burst wait for their turn, and are refused if that takes too long', async () => {
    const provider = await startProvider(json({}));
    const { source, waited } = startLive({
      pace: { perMinute: 60, burst: 2 },
      timeoutMs: 1_500,
      find: asksOnce(provider.url),
    });
    await source.find(query({ prompt: 'a' }));
    await source.find(query({ prompt: 'b' }));
    expect(waited).toEqual([]);
    await source.find(query({ prompt: 'c' }));
    expect(waited).toEqual([1_000]);
    expect(provider.requests).toHaveLength(3);
  });

  test.each<[string, Partial<Adapter>]>([
    ['of the source', { pace: { perMinute: 6, burst: 1 } }],
    ['shared by all machines', { everyMs: 10 * SECOND }],
  ])(
    'a turn (%s) after the deadline of the caller is refused immediately and goes to the next',
    async (_, more) => {
      const provider = await startProvider(json({}));
      const { source, waited } = startLive({
        ...more,
        find: asksOnce(provider.url),
      });
      await source.find(query({ prompt: 'a' }));
      const outage = await outageOf(source.find(query({ prompt: 'b', timeoutMs: 6 * SECOND })));
      expect(outage).toMatchObject({ code: 'source_busy', unasked: true });
      expect(waited).toEqual([]);
      await source.find(query({ prompt: 'b', timeoutMs: 12 * SECOND }));
      expect(waited).toEqual([10 * SECOND]);
    },
  );

  test('an identical search with more time is waited for', async () => {
    const first = pending<void>();
    const provider = await startProvider(async (_, response) => {
      await first.promise;
      response.end('{}');
    });
    const { source, waited } = startLive({
      pace: { perMinute: 60_000, burst: 10 },
      everyMs: 10 * SECOND,
      find: async (_, { ask }) => {
        await ask({ url: new URL(provider.url) });
        return [item()];
      },
    });
    const one = source.find(query({ prompt: 'a' }));
    const hasty = source.find(query({ prompt: 'b', timeoutMs: 6 * SECOND }));
    const patient = source.find(query({ prompt: 'b', timeoutMs: 12 * SECOND }));
    first.resolve();
    await expect(Promise.all([one, hasty, patient])).resolves.toEqual([[item()], [item()], [item()]]);
    expect(waited).toEqual([10 * SECOND]);
  });

  test('a timeout while waiting is not a failure of the source, and the turn goes to another', async () => {
    const provider = await startProvider(json({}));
    const { source } = startLive(
      {
        pace: { perMinute: 60, burst: 1 },
        find: asksOnce(provider.url),
      },
      { wait: (_, signal) => new Promise((__, reject) => signal.addEventListener('abort', reject)) },
    );
    await source.find(query({ prompt: 'a' }));
    for (const prompt of ['b', 'c', 'd', 'e']) {
      const outage = await outageOf(source.find(query({ prompt, signal: AbortSignal.timeout(15) })));
      expect(outage).toMatchObject({ code: 'source_busy', unasked: true });
    }
    expect(provider.requests).toHaveLength(1);
    expect((await source.health()).openUntil).toBeUndefined();
  });

  test('one at a time with a minimum interval, if all machines share a rate', async () => {
    let under = 0;
    let most = 0;
    const at: number[] = [];
    const provider = await startProvider(async (_, response) => {
      under += 1;
      most = Math.max(most, under);
      at.push(clock.now().getTime());
      await new Promise((resolve) => setTimeout(resolve, 15));
      under -= 1;
      response.end('{}');
    });
    const { source, clock } = startLive({
      everyMs: 3_100,
      timeoutMs: 8 * SECOND,
      find: async (_, { ask }) => {
        await ask({ url: new URL(provider.url) });
        return [];
      },
    });
    const finding = ['a', 'b', 'c', 'd'].map((prompt) =>
      source.find(query({ prompt })).catch((e: unknown) => e),
    );
    const results = await Promise.all(finding);
    expect(most).toBe(1);
    expect(at.map((ms) => ms - NOW.getTime())).toEqual([0, 3_100, 6_200]);
    expect(results[3]).toMatchObject({ code: 'source_busy', unasked: true });
  });

  test('a turn that cannot be reserved is not a failure of the source', async () => {
    const { allowances } = memoryPorts(systemClock);
    const turns = { next: () => Promise.reject(new Error('no database')) };
    const { source } = startLive(
      { everyMs: 100, find: (_, { ask }) => ask({ url: new URL('http://127.0.0.1:1') }).then(() => []) },
      { ports: { allowances, turns } },
    );
    for (let n = 0; n < 4; n += 1) {
      const outage = await outageOf(source.find(query()));
      expect(outage).toMatchObject({
        code: 'source_failed',
        detail: 'its rate limit could not be checked',
        unasked: true,
      });
    }
    expect((await source.health()).openUntil).toBeUndefined();
  });

  test('a caller that leaves the queue gives its turn to the next', async () => {
    const first = pending<void>();
    const provider = await startProvider(async (_, response) => {
      await first.promise;
      response.end('{}');
    });
    const { source } = startLive({
      serial: true,
      find: asksOnce(provider.url),
    });
    const gone = new AbortController();
    const one = source.find(query({ prompt: 'a' }));
    const two = source.find(query({ prompt: 'b', signal: gone.signal }));
    const three = source.find(query({ prompt: 'c' }));
    gone.abort(new Error('gone'));
    await expect(two).rejects.toThrow('gone');
    first.resolve();
    await expect(Promise.all([one, three])).resolves.toEqual([[], []]);
    expect(provider.requests).toHaveLength(2);
  });
});

describe('a quota', () => {
  const allowance = { most: 2, unit: 'searches', zone: 'America/Los_Angeles' };
  const spending: Adapter['find'] = async (_, { spend }) => {
    await spend(1);
    return [];
  };

  test('is per day of the source', async () => {
    const { source, clock, ports } = startLive({ allowance, find: spending });
    clock.set('2026-11-22T07:59:59.000Z'); // the evening of the 21st there
    await source.find(query({ prompt: 'a' }));
    await source.find(query({ prompt: 'b' }));
    const outage = await outageOf(source.find(query({ prompt: 'c' })));
    expect(outage).toMatchObject({
      code: 'source_quota',
      message: 'has used up its allowance: 2 searches a day',
    });
    expect((await source.health()).allowance).toEqual({
      used: 2,
      most: 2,
      unit: 'searches',
      period: '2026-11-21',
    });
    clock.set('2026-11-22T08:00:00.000Z');
    await source.find(query({ prompt: 'c' }));
    expect([...ports.units.keys()]).toEqual(['tested 2026-11-21', 'tested 2026-11-22']);
  });

  test('reserved by running requests is not used up, and is free when they end', async () => {
    const under = pending<void>();
    const { source } = startLive({
      allowance,
      find: async (_, { spend, unspend }) => {
        await spend(2);
        await under.promise;
        await unspend(1);
        return [];
      },
    });
    const first = source.find(query({ prompt: 'a' }));
    expect(await outageOf(source.find(query({ prompt: 'b' })))).toMatchObject({
      code: 'source_busy',
      detail: 'the rest of its allowance is reserved by requests in progress',
      unasked: true,
    });
    under.resolve();
    await first;
    expect((await outageOf(source.find(query({ prompt: 'c' })))).code).toBe('source_quota');
  });

  test('is refunded to the day it was taken from', async () => {
    const live = startLive({
      allowance,
      find: async (_, { spend, unspend }) => {
        await spend(2);
        live.clock.set('2026-11-22T08:00:00.000Z');
        await unspend(1);
        return [];
      },
    });
    live.clock.set('2026-11-22T07:59:59.000Z');
    await live.source.find(query());
    expect([...live.ports.units]).toEqual([['tested 2026-11-21', 1]]);
  });

  describe('is refunded if no request was sent', () => {
    const buying =
      (url: string): Adapter['find'] =>
      async (_, { spend, ask }) => {
        await spend(2);
        await ask({ url: new URL(url) });
        return [];
      };
    const large = { ...allowance, most: 9 };

    test('because the rate limit would take too long', async () => {
      const provider = await startProvider(json({}));
      const pace = { perMinute: 1, burst: 1 };
      const { source, ports } = startLive({ allowance: large, pace, find: buying(provider.url) });
      await source.find(query({ prompt: 'a' }));
      expect((await outageOf(source.find(query({ prompt: 'b' })))).code).toBe('source_busy');
      expect([...ports.units.values()]).toEqual([2]);
      expect(provider.requests).toHaveLength(1);
    });

    test('because its caller left while it waited', async () => {
      const provider = await startProvider(json({}));
      const waits = pending<void>();
      const wait = () => {
        waits.resolve();
        return never();
      };
      const pace = { perMinute: 60, burst: 1 };
      const { source, ports } = startLive({ allowance: large, pace, find: buying(provider.url) }, { wait });
      await source.find(query({ prompt: 'a' }));
      const gone = new AbortController();
      const found = source.find(query({ prompt: 'b', signal: gone.signal }));
      await waits.promise;
      expect([...ports.units.values()]).toEqual([4]);
      gone.abort(new Error('gone'));
      await expect(found).rejects.toThrow('gone');
      await expect.poll(() => [...ports.units.values()]).toEqual([2]);
      expect(provider.requests).toHaveLength(1);
    });

    test('because its caller left while its units were reserved', async () => {
      const { allowances, turns, units } = memoryPorts(steppedClock(NOW));
      const [asked, counted] = [pending<void>(), pending<void>()];
      const slow: typeof allowances = {
        ...allowances,
        take: async (...taken) => {
          asked.resolve();
          await counted.promise;
          return allowances.take(...taken);
        },
      };
      const find = buying('http://127.0.0.1:1');
      const { source } = startLive({ allowance: large, find }, { ports: { allowances: slow, turns } });
      const gone = new AbortController();
      const found = source.find(query({ signal: gone.signal }));
      await asked.promise;
      gone.abort(new Error('gone'));
      await expect(found).rejects.toThrow('gone');
      counted.resolve();
      await expect.poll(() => [...units.values()]).toEqual([0]);
    });

    test('but not after a request was sent, whatever became of it', async () => {
      const provider = await startProvider(text('', 503));
      const { source, ports } = startLive({ allowance: large, find: buying(provider.url) });
      await outageOf(source.find(query()));
      expect([...ports.units.values()]).toEqual([2]);
    });
  });

  test('that cannot be refunded stays spent, and paid results are returned', async () => {
    const lines: string[] = [];
    const clock = steppedClock(NOW);
    const { allowances, turns, units } = memoryPorts(clock);
    const broken = { ...allowances, refund: () => Promise.reject(new Error('no database')) };
    const { source } = startLive(
      {
        allowance,
        find: async (_, { spend, unspend }) => {
          await spend(2);
          await unspend(1);
          return [item()];
        },
      },
      {
        ports: { allowances: broken, turns },
        log: createLogger('warn', [], { write: (line) => lines.push(line) }),
      },
    );
    expect(await source.find(query())).toEqual([item()]);
    expect([...units.values()]).toEqual([2]);
    expect(lines.join('')).toContain('allowance refund failed');
  });

  test('that cannot be counted is not spent, and is not a failure of the source', async () => {
    const away = { take: never, refund: never, used: () => Promise.reject(new Error('no database')) };
    const broken = { ...away, take: () => Promise.reject(new Error('no database')) };
    const turns = { next: never };
    const { source } = startLive({ allowance, find: spending }, { ports: { allowances: broken, turns } });
    for (let n = 0; n < 4; n += 1) {
      const outage = await outageOf(source.find(query()));
      expect(outage).toMatchObject({ code: 'source_failed', detail: 'its allowance could not be checked' });
    }
    expect((await source.health()).allowance).toMatchObject({ used: undefined, most: 2 });
  });
});

describe('requests', () => {
  const asking = (url: string, more: Partial<Adapter> = {}) => startLive({ ...more, find: asksOnce(url) });

  test.each([
    ['a redirect', text('', 302, { location: 'http://127.0.0.1:1/' }), 'failed: HTTP 302'],
    ['a failure', text('words of theirs', 503), 'failed: HTTP 503'],
    ['a refusal', text('words of theirs', 403), 'rejected the request: HTTP 403'],
    ['too many requests', text('', 429, { 'retry-after': '9' }), 'reached its rate limit: HTTP 429'],
    ['an endless body', text('x'.repeat(8_000_001)), 'failed: response larger than 2000000 bytes'],
  ])('%s has an error message of our own', async (_, answer, message) => {
    const provider = await startProvider(answer);
    const outage = await outageOf(asking(provider.url).source.find(query()));
    expect(outage.message).toBe(message);
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]?.headers['user-agent']).toBe('strandline-test');
  });

  test('a pause is as long as the header says', async () => {
    const provider = await startProvider(text('', 429, { 'retry-after': '9' }));
    const { source } = asking(provider.url);
    await outageOf(source.find(query()));
    expect((await source.health()).openUntil).toEqual(new Date(NOW.getTime() + 9 * SECOND));
  });

  test('a refused and a broken connection are reported by their codes', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo; // a TCP server's address is never a string
    await new Promise((resolve) => gone.close(resolve));
    expect((await outageOf(asking(`http://127.0.0.1:${port}`).source.find(query()))).message).toBe(
      'failed: no response (ECONNREFUSED)',
    );
    const provider = await startProvider((_, response) => void response.destroy());
    expect((await outageOf(asking(provider.url).source.find(query()))).message).toMatch(
      /^failed: no response \([A-Z_]+\)$/,
    );
  });

  test('a body that stalls ends with the time limit', async () => {
    let open = 0;
    const provider = await startProvider((_, response) => {
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
      response.write('{');
    });
    const { source } = asking(provider.url, { timeoutMs: 50 });
    expect((await outageOf(source.find(query()))).code).toBe('source_timeout');
    // And its connection with it. On a busy machine the limit may pass before the request arrives.
    await expect.poll(() => open).toBe(0);
  });
});

describe('a probe', () => {
  test('sends a small request, and exists only if no key is required', async () => {
    const asked: string[] = [];
    const probe = async () => void asked.push('probe');
    const signal = new AbortController().signal;
    expect(await startLive({ find: never, probe }).source.probe(signal)).toBe(true);
    expect(await startLive({ find: never }).source.probe(signal)).toBe(false);
    expect(asked).toEqual(['probe']);
  });
});
