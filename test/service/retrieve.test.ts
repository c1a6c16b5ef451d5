/** Several sources for one tool: run in parallel, within a time limit, and failures are reported. */
import { takeTurn } from '../../src/service/event-loop-turns.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MODELS, type Model, type Source } from '../../src/model/enumerations.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { SourceDown } from '../../src/service/sources/outage.ts';
import { searchMicroblog, toServedPosts } from '../../src/service/microblog-search.ts';
import { type RetrievalRequest, retrieveFindings } from '../../src/service/planning/retrieval.ts';
import { createSandboxSources } from '../../src/service/sandbox/sandbox-sources.ts';
import type { FoundItem, SourceQuery, SearchSource } from '../../src/service/sources/search-source.ts';
import { MODEL_TIERS } from '../../src/service/planning/model-tiers.ts';
import { planWordings } from '../../src/service/planning/wordings.ts';
import { deafSource, foundItem, foundPost, stubSource } from './stub-source.ts';

/** Beside the reasons, where nobody answered for the tool. */
const UNANSWERED_WEB = {
  code: 'tool_unanswered',
  tool: 'Web Search',
  message: 'no source of this tool responded',
};

const NOON = new Date('2026-11-21T12:00:00.000Z');
const never = new AbortController().signal;
const silent = createLogger('silent');

afterEach(() => {
  vi.useRealTimers();
});

function asking(more: Partial<RetrievalRequest> = {}): RetrievalRequest {
  return {
    prompt: 'tidal power',
    selected: ['web'],
    model: 'NOVA',
    dateFilter: 'PAST_WEEK',
    at: NOON,
    ...more,
  };
}

/** Retrieves with a clock that jumps to the end of every wait; says how long it waited. */
async function retrieveAtOnce(sources: readonly SearchSource[], asked: RetrievalRequest, log = silent) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const began = performance.now();
  let waited = Number.NaN;
  const done = retrieveFindings({ sources, log }, asked, never).then((retrieved) => {
    waited = performance.now() - began;
    return retrieved;
  });
  // Between two rounds, ranking waits for a turn of the event loop.
  while (Number.isNaN(waited)) await Promise.all([vi.runAllTimersAsync(), takeTurn()]);
  const retrieved = await done;
  return { ...retrieved, waited };
}

test.each(MODELS)('a source gets the timeout of %s', async (model) => {
  const told: number[] = [];
  const source = stubSource('web', async ({ timeoutMs }) => {
    told.push(timeoutMs);
    return ['a', 'b', 'c'].map((n) => foundItem(`https://x.example/${n}`));
  });
  await retrieveFindings({ sources: [source], log: silent }, asking({ model }), never);
  expect(new Set(told)).toEqual(new Set([MODEL_TIERS[model].sourceMs]));
});

describe('several sources of one tool', () => {
  test('run in parallel and give one list, with what both found first and once', async () => {
    const one = stubSource('web', async () =>
      ['a', 'b', 'c'].map((n) => foundItem(`https://x.example/${n}`)),
    );
    const two = stubSource('web', async () => [
      foundItem('http://x.example/c/?utm_source=two'),
      foundItem('https://x.example/d'),
    ]);
    const { findings, warnings } = await retrieveFindings(
      { sources: [one, two], log: silent },
      asking(),
      never,
    );
    const links = findings.get('web')?.map(({ link }) => link) ?? [];
    expect(links).toHaveLength(4);
    expect(links[0]).toMatch(/\/c/);
    expect(warnings).toEqual([]);
  });

  test('do not depend on each other: what one found is returned, and the failure of the other is a warning', async () => {
    const lines: string[] = [];
    const log = createLogger('warn', [], { write: (line) => lines.push(line) });
    const good = stubSource('web', async () => [foundItem('https://x.example/a')]);
    const down = stubSource(
      'web',
      () => Promise.reject(new SourceDown('source_refused', { detail: 'HTTP 403' })),
      'other',
    );
    const { findings, warnings } = await retrieveFindings({ sources: [good, down], log }, asking(), never);
    expect(findings.get('web')).toHaveLength(1);
    expect(warnings).toEqual([
      { code: 'source_refused', tool: 'Web Search', message: 'other rejected the request: HTTP 403' },
    ]);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      source: 'other',
      tool: 'web',
      code: 'source_refused',
    });
  });

  test('report no external text: any other failure has our own message', async () => {
    const rude = stubSource('web', () => Promise.reject(new Error('<b>key=hunter2</b>')), 'rude');
    const sudden = stubSource(
      'web',
      () => {
        throw new Error('at once');
      },
      'sudden',
    );
    const { warnings } = await retrieveFindings({ sources: [rude, sudden], log: silent }, asking(), never);
    expect(warnings).toEqual([
      { code: 'source_failed', tool: 'Web Search', message: 'rude failed' },
      { code: 'source_failed', tool: 'Web Search', message: 'sudden failed' },
      UNANSWERED_WEB,
    ]);
  });

  test('a tool without any source is reported', async () => {
    const { findings, warnings } = await retrieveFindings({ sources: [], log: silent }, asking(), never);
    expect(findings.get('web')).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'source_off', tool: 'Web Search' }, UNANSWERED_WEB]);
  });

  test('only web links are found', async () => {
    const links = [
      'https://x.example/a',
      'javascript:alert(1)',
      'ftp://x.example/',
      'x.example',
      '',
      'http://',
    ];
    const careless = stubSource('web', async () => links.map((link) => foundItem(link)));
    const { findings } = await retrieveFindings({ sources: [careless], log: silent }, asking(), never);
    expect(findings.get('web')?.map(({ link }) => link)).toEqual(['https://x.example/a']);
  });
});

describe('the time budget of a response', () => {
  test.each([
    ['NOVA', 6_000],
    ['ORBIT', 12_000],
    ['HORIZON', 25_000],
  ] as const)(
    '%s waits for a source that never responds %d ms, and returns what the others found',
    async (model, ms) => {
      const good = stubSource('web', async () =>
        Array.from({ length: 40 }, (_, n) => foundItem(`https://x.example/${n}`)),
      );
      const asked = asking({ model, selected: ['web', 'video'] });
      const { findings, warnings, waited } = await retrieveAtOnce(
        [good, deafSource('web'), deafSource('video')],
        asked,
      );
      expect(waited).toBe(ms);
      expect(findings.get('web')).toHaveLength(MODEL_TIERS[model].items);
      expect(findings.get('video')).toEqual([]);
      expect(warnings.map(({ code, tool }) => [code, tool])).toEqual([
        ['source_timeout', 'Web Search'],
        ...(MODEL_TIERS[model].items < 40 ? [['list_full', 'Web Search']] : []),
        ['source_timeout', 'Video Search'],
        ['tool_unanswered', 'Video Search'],
      ]);
    },
  );

  test('is limited: no model spends more than 70 % of it on retrieval, in any number of rounds', async () => {
    for (const model of MODELS) {
      const slow = stubSource('web', ({ signal }) => wait(signal, MODEL_TIERS[model].sourceMs - 1));
      const { waited } = await retrieveAtOnce([slow], asking({ model, prompt: 'tidal power in the sound' }));
      expect(waited).toBeLessThanOrEqual(0.7 * MODEL_TIERS[model].budgetMs);
    }
  });

  test('aborts a source at its end', async () => {
    const signals: AbortSignal[] = [];
    const slow = stubSource('web', ({ signal }) => {
      signals.push(signal);
      return wait(signal, 60_000);
    });
    const { warnings } = await retrieveAtOnce([slow], asking());
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(warnings).toMatchObject([
      { code: 'source_timeout', message: expect.stringContaining('timed out') as string },
      UNANSWERED_WEB,
    ]);
  });

  test('asks a source for a reason or partial results at its end', async () => {
    const whenLate = (end: () => Promise<FoundItem[]>) =>
      stubSource('web', ({ signal }) => wait(signal, 60_000).catch(end));
    const busy = whenLate(() => Promise.reject(new SourceDown('source_busy', { unasked: true })));
    const { warnings } = await retrieveAtOnce([busy], asking());
    expect(warnings).toMatchObject([{ code: 'source_busy' }, UNANSWERED_WEB]);
    const half = whenLate(async () => [foundItem('https://x.example/a')]);
    const { findings, warnings: none } = await retrieveAtOnce([half], asking());
    expect(findings.get('web')).toHaveLength(1);
    expect(none).toEqual([]);
  });

  test('ends immediately without a warning when the client disconnects', async () => {
    const client = new AbortController();
    const lines: string[] = [];
    const log = createLogger('warn', [], { write: (line) => lines.push(line) });
    const gone = new Error('gone');
    const retrieved = retrieveFindings({ sources: [deafSource('web')], log }, asking(), client.signal);
    client.abort(gone);
    await expect(retrieved).rejects.toBe(gone);
    expect(lines).toEqual([]);
  });
});

/** Resolves with nothing after a time, or fails with the signal. */
function wait(signal: AbortSignal, ms: number): Promise<never[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve([]), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });
}

describe('variants of a prompt', () => {
  const prompt = 'tidal power survey';

  async function promptsAsked(
    model: Model,
    found: number,
    kind: Pick<SearchSource, 'state' | 'wordings'> = { state: 'live' },
  ) {
    const prompts: string[] = [];
    const source = {
      ...stubSource('web', async (query: SourceQuery) => {
        prompts.push(query.prompt);
        return Array.from({ length: found }, (_, n) => foundItem(`https://x.example/${n}`));
      }),
      ...kind,
    };
    await retrieveFindings({ sources: [source], log: silent }, asking({ model, prompt }), never);
    return prompts;
  }

  test('are one for NOVA, two for ORBIT, and fewer words as well for HORIZON', async () => {
    expect(await promptsAsked('NOVA', 0)).toEqual([prompt]);
    expect(await promptsAsked('ORBIT', 0)).toHaveLength(2);
    const { narrower } = planWordings(prompt);
    expect(await promptsAsked('HORIZON', 40)).toEqual([prompt, ...narrower.map((one) => one.prompt)]);
  });

  test('are single words in a second round of HORIZON, only if the first found too little', async () => {
    const [first, second] = planWordings(prompt).single;
    expect((await promptsAsked('HORIZON', 1)).slice(-2)).toEqual([first?.prompt, second?.prompt]);
    expect(await promptsAsked('HORIZON', 10)).not.toContain(first?.prompt);
  });

  test('are not sent to a source that accepts only the original', async () => {
    expect(await promptsAsked('HORIZON', 0, { state: 'live', wordings: 'own' })).toEqual([prompt]);
  });

  test('are not sent to the simulation: another wording would be another topic', async () => {
    expect(await promptsAsked('HORIZON', 0, { state: 'sandbox' })).toEqual([prompt]);
  });

  test('that fail alike are one warning', async () => {
    const down = stubSource('web', () => Promise.reject(new SourceDown('source_busy')), 'busy');
    const asked = asking({ model: 'HORIZON', prompt });
    const { warnings } = await retrieveFindings({ sources: [down], log: silent }, asked, never);
    expect(warnings).toEqual([
      { code: 'source_busy', tool: 'Web Search', message: 'busy reached its rate limit' },
      UNANSWERED_WEB,
    ]);
  });

  test('are all different, and none of several words is a single one', () => {
    for (const words of ['', 'tide', 'tidal power', prompt, 'tidal power survey of the northern sound']) {
      const { own, narrower, single } = planWordings(words);
      const all = [own, ...narrower, ...single].map(({ keywords }) => keywords.join(' '));
      expect(new Set(all).size).toBe(all.length);
      for (const { keywords } of narrower) expect(keywords.length).toBeGreaterThan(1);
    }
  });
});

describe('an undated item', () => {
  const undated = (source: Source) =>
    stubSource(source, async () => [foundItem('https://x.example/a', { source, publishedAt: undefined })]);
  const links = async (source: Source, dateFilter: RetrievalRequest['dateFilter'], at?: Date) => {
    const one =
      at === undefined
        ? undated(source)
        : stubSource(source, async () => [foundItem('https://x.example/a', { source, publishedAt: at })]);
    const asked = asking({ selected: [source], dateFilter });
    return (await retrieveFindings({ sources: [one], log: silent }, asked, never)).findings.get(source)
      ?.length;
  };

  test('is excluded from a window of up to a month, and included in a longer one', async () => {
    expect(await links('web', 'PAST_24_HOURS')).toBe(0);
    expect(await links('web', 'PAST_MONTH')).toBe(0);
    expect(await links('web', 'PAST_2_MONTHS')).toBe(1);
    expect(await links('web', 'PAST_WEEK', new Date(Number.NaN))).toBe(0);
  });

  test('is included if its source was asked for the window only, and excluded with a warning otherwise', async () => {
    const source = (periodVouched: boolean) =>
      stubSource('web', async () => [
        foundItem('https://x.example/a', {
          publishedAt: undefined,
          ...(periodVouched && { periodVouched: true }),
        }),
      ]);
    const answer = (periodVouched: boolean) =>
      retrieveFindings({ sources: [source(periodVouched)], log: silent }, asking(), never);
    const vouched = await answer(true);
    expect(vouched.findings.get('web')).toHaveLength(1);
    expect(vouched.warnings).toEqual([]);
    const dropped = await answer(false);
    expect(dropped.findings.get('web')).toEqual([]);
    expect(dropped.warnings).toEqual([
      {
        code: 'outside_period',
        tool: 'Web Search',
        message: 'left out as outside the requested period: 1 (without a date: 1)',
      },
    ]);
  });

  test('is always included if it is from an encyclopedia', async () => {
    expect(await links('encyclopedia', 'PAST_24_HOURS')).toBe(1);
    expect(await links('encyclopedia', 'PAST_24_HOURS', new Date('2001-01-01T00:00:00Z'))).toBe(1);
  });
});

describe('posts of several microblogs', () => {
  const ask = (...sources: SearchSource[]) =>
    searchMicroblog(
      { sources, log: silent },
      { prompt: 'tide', model: 'NOVA', at: NOON },
      toServedPosts,
      never,
    );

  test('come newest first, each once', async () => {
    const one = stubSource('microblog', async () => [foundPost('1', 10), foundPost('2', 30)]);
    const two = stubSource('microblog', async () => [foundPost('3', 20), foundPost('2', 30)]);
    const { miner_microblog_posts: posts, ...rest } = await ask(one, two);
    expect(posts.map(({ id }) => id)).toEqual(['2', '3', '1']);
    expect(rest).toEqual({});
  });

  test('are not from the future, except for clock skew', async () => {
    const source = stubSource('microblog', async () => [
      { ...foundPost('1', 0), publishedAt: new Date(NOON.getTime() + 5 * 60_000) },
      { ...foundPost('2', 0), publishedAt: new Date(NOON.getTime() + 60 * 60_000) },
    ]);
    const { miner_microblog_posts: posts } = await ask(source);
    expect(posts.map(({ id }) => id)).toEqual(['1']);
  });

  test('are the newest of all if there are more than 40', async () => {
    const many = (from: number) =>
      stubSource('microblog', async () =>
        Array.from({ length: 30 }, (_, n) => foundPost(String(from + n), n)),
      );
    const { miner_microblog_posts: posts } = await ask(many(0), many(100));
    expect(posts).toHaveLength(40);
    // Twenty of each: whatever is missing is older than all of these.
    expect(posts.filter(({ id }) => Number(id) < 100)).toHaveLength(20);
    const times = posts.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('exclude a failed source, which is a warning', async () => {
    const good = stubSource('microblog', async () => [foundPost('1', 10)]);
    const down = stubSource('microblog', () => Promise.reject(new SourceDown('source_needs_key')), 'bluesky');
    const { miner_microblog_posts: posts, warnings } = await ask(good, down);
    expect(posts).toHaveLength(1);
    expect(warnings).toEqual([
      { code: 'source_needs_key', tool: 'Microblog Search', message: 'bluesky needs a key that is not set' },
    ]);
  });

  test('of the simulation keep their order', async () => {
    const sources = createSandboxSources();
    const { miner_microblog_posts: posts } = await ask(...sources);
    const asked = { prompt: 'tide', keywords: [], from: undefined, to: NOON, limit: 40 };
    const query: SourceQuery = { ...asked, timeoutMs: 6_000, signal: never };
    const own = await sources.find(({ source }) => source === 'microblog')?.find(query);
    expect(posts.map(({ id }) => id)).toEqual(own?.map(({ post }) => post?.id));
  });
});
