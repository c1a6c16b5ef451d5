/** The overview: what needs a person, in cards; topics in lines; changes of several topics at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { describeCalm } from '../../../src/web/overview/attention-section.tsx';
import { homeOf } from '../../cli/stand.ts';
import { json, startStub, type StubService, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from '../pages/person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;
let posts = 1;

// The clock stands at noon of Saturday, 21 November.
beforeAll(async () => {
  stub = await startStub();
  answerWithPosts();
  world = await makeWorld({ hosted: stub.url, env: { WEBHOOK_ALLOW: '127.0.0.1', MAX_CALLS_PER_RUN: '1' } });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
  for (const name of ['Harbour ferry', 'Night tram', 'Old bridge']) await watch(name);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

function answerWithPosts(): void {
  stub.answers(json({ miner_tweets: Array.from({ length: posts }, (_, i) => wirePost(String(i + 1))) }));
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

async function watch(name: string): Promise<void> {
  await createTopic(world.ctx, {
    name,
    slug: slugOf(name),
    searches: [{ slug: `${slugOf(name)}-posts`, operation: 'microblog', prompt: name, every: '15m' }],
  });
}

async function run(search: string): Promise<void> {
  await executeRun(world.ctx, (await insertManualRun(world.ctx, search)).runId);
}

/** As a visitor who was never here. */
const show = async (url = '/') => (await personAt(app).get(url)).html;
const attention = (html: string) => textOf(/<section id="attention".*?<\/section>/s.exec(html)?.[0] ?? '');
/** Of each topic, the text of its line. */
const lines = (html: string) =>
  [...html.matchAll(/<tr><td><input type="checkbox".*?<\/tr>/gs)].map(([row]) => textOf(row));

describe.sequential('what needs a person', () => {
  test('before anything ran, nothing is called well', async () => {
    const html = await show();
    expect(attention(html)).toMatch(/^\s*Nothing ran since yesterday, 18:00\. Next run: /);
    expect(html).not.toContain('is-good');
  });

  test('when all runs succeeded, one line says so', async () => {
    for (const search of ['harbour-ferry-posts', 'night-tram-posts', 'old-bridge-posts']) await run(search);
    const html = await show();
    expect(attention(html).trim()).toBe(
      'Nothing needs you: 3 runs succeeded since yesterday, 18:00, none failed.',
    );
    expect(html).toContain('calm is-good');
    expect(html).not.toContain('class="card ');
  });

  test('a search that fails is a card, under the name of its topic, with its reason and a button', async () => {
    world.clock.advance(15 * MINUTE);
    stub.answers(json({ detail: 'out of order' }, 500));
    await run('harbour-ferry-posts');
    const html = await show();
    expect(attention(html)).toMatch(
      /1 needs attention .* Not collected .* Harbour ferry Failing since 21 Nov, 12:15 .*\(upstream_5xx, HTTP 500\)\. Run again/,
    );
    expect(html).toContain('action="/searches/harbour-ferry-posts/run"');
    expect(html).not.toContain('is-good');
    expect(attention(html)).not.toContain('harbour-ferry');
    // A range that is over says nothing of now.
    expect(attention(await show('/?from=2026-11-20&to=2026-11-21T11:00Z'))).not.toContain('Failing');
  });

  test('one cause is one card, whatever number of topics it stops', async () => {
    await run('night-tram-posts');
    const said = attention(await show());
    expect(said).toMatch(
      /1 needs attention .* Harbour ferry, Night tram 2 searches failing since 21 Nov, 12:15/,
    );
  });

  test('after it recovered, the line is not good: something failed', async () => {
    answerWithPosts();
    await run('harbour-ferry-posts');
    await run('night-tram-posts');
    const html = await show();
    expect(attention(html)).toContain('5 runs succeeded, 2 failed since yesterday, 18:00.');
    expect(html).not.toContain('is-good');
    // The failures were before this range.
    world.clock.advance(HOUR);
    for (const search of ['harbour-ferry-posts', 'night-tram-posts', 'old-bridge-posts']) await run(search);
    expect(attention(await show('/?range=30m'))).toContain('Nothing needs you: 3 runs succeeded');
  });

  test('messages that were given up are a card', async () => {
    const { channel } = await createChannel(world.ctx, { slug: 'ops', webhook: stub.url });
    const rule = await createRule(world.ctx, { slug: 'ferry', topic: 'harbour-ferry', channels: ['ops'] });
    await world.db.pool.query(
      `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts, last_attempt_at)
       VALUES ('msg_1', $1, $2, 'dead', 'given up', '{}', $3, $3, 11, $3)`,
      [channel.id, rule.id, world.clock.now()],
    );
    const html = await show();
    expect(attention(html)).toMatch(/Not delivered .* Alerts to ops 1 message not delivered/);
    expect(html).toContain('href="/alerts/deliveries?channel=ops&amp;state=dead"');
    expect(attention(await show('/?range=7d'))).toContain('1 message not delivered');
    expect(attention(await show('/?from=2026-11-20&to=2026-11-20'))).not.toContain('not delivered');
  });
});

test('each topic is a line with its runs and what is new; a number leads to its list', async () => {
  posts = 4;
  answerWithPosts();
  await run('old-bridge-posts');
  await world.derive();
  const html = await show('/?sort=new');
  const [first = '', ...others] = lines(html);
  expect(first).toMatch(/^\s*Old bridge/);
  expect(others).toHaveLength(2);
  expect(html).toMatch(/<title>Old bridge, runs since yesterday, 18:00: 3 runs succeeded<\/title>/);
  const [, href = '', n] =
    /href="(\/topics\/old-bridge\/discoveries\?after=\d+)"><data value="(\d+)"/.exec(html) ?? [];
  expect(n).toBe('3');
  expect(textOf(await show(href))).toMatch(/\b3 new items, without earlier ones\b/);
});

test('since the last visit: only what came after it', async () => {
  const visitor = personAt(app);
  const first = await visitor.get('/');
  expect(first.html).not.toContain('Since I was here');
  world.clock.advance(HOUR);
  const html = (await visitor.get('/')).html;
  expect(html).toMatch(/aria-current="true">Since I was here/);
  expect(textOf(html)).toContain('New and runs: since you were here, Sat, 21 Nov,');
  expect(html).not.toContain('/discoveries?after=');
  posts = 6;
  answerWithPosts();
  await run('night-tram-posts');
  expect((await visitor.get('/')).html).toMatch(
    /\/topics\/night-tram\/discoveries\?after=\d+"><data value="5"/,
  );
});

test('topics are filtered by name, and an address that is nearly right is read', async () => {
  expect(lines(await show('/?q=TRAM'))).toHaveLength(1);
  expect(textOf(await show('/?q=submarine'))).toContain('No topics match. Show all');
  const { status, html } = await person.get('/?range=fortnight&sort=upwards');
  expect(status).toBe(200);
  expect(textOf(html)).toContain('The address asks for a range "fortnight", which is not one');
});

describe.sequential('several topics at once', () => {
  const topics = ['harbour-ferry', 'night-tram'];
  const audited = async () => {
    const { rows } = await world.db.pool.query<{ entry: string }>(
      `SELECT action || ' ' || subject AS entry FROM strandline.audit_log ORDER BY id DESC LIMIT 2`,
    );
    return rows.map(({ entry }) => entry).toReversed();
  };

  test('are paused and resumed, each with its entry in the audit log', async () => {
    const paused = await person.follow('/selection', { do: 'pause', topics });
    expect(paused.to).toBe('/');
    expect(textOf(paused.html)).toContain('Paused the selected topics.');
    expect(lines(paused.html).filter((line) => line.includes('paused'))).toHaveLength(2);
    expect(await audited()).toEqual(['topic.paused harbour-ferry', 'topic.paused night-tram']);
    const resumed = await person.follow('/selection/resume', { topics });
    expect(lines(resumed.html).filter((line) => line.includes('paused'))).toHaveLength(0);
    expect(await audited()).toEqual(['topic.resumed harbour-ferry', 'topic.resumed night-tram']);
  });

  test('are muted until a time that is asked for', async () => {
    const form = await person.follow('/selection', { do: 'mute', topics });
    expect(form.to).toBe('/selection?do=mute&topics=harbour-ferry%2Cnight-tram');
    expect(textOf(form.html)).toMatch(/Mute 2 topics .* Harbour ferry Night tram/);
    const wrong = await person.post('/selection', { do: 'mute', topics, confirmed: 'yes', until: 'later' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('value="later"');
    await person.follow('/selection', { do: 'mute', topics, confirmed: 'yes', until: 'tomorrow 9:00' });
    expect(await audited()).toEqual(['topic.muted harbour-ferry', 'topic.muted night-tram']);
  });

  test('get a label, and lose it', async () => {
    const change = { do: 'label', topics, confirmed: 'yes', label: 'water' };
    expect((await person.post('/selection', { ...change, label: ' ' })).status).toBe(400);
    await person.follow('/selection', change);
    expect(lines(await show('/?label=water'))).toHaveLength(2);
    await person.follow('/selection', { ...change, topics: ['night-tram'], how: 'remove' });
    expect(lines(await show('/?label=water'))).toHaveLength(1);
  });

  test('are removed only after a question', async () => {
    const asked = await person.follow('/selection', { do: 'remove', topics: 'old-bridge' });
    expect(textOf(asked.html)).toContain('Remove 1 topic?');
    expect(lines(await show())).toHaveLength(3);
    // A topic that is gone in the meantime does not keep the others.
    const gone = await person.follow('/selection', {
      do: 'remove',
      topics: ['no-such-topic', 'old-bridge'],
      confirmed: 'yes',
    });
    expect(lines(gone.html)).toHaveLength(2);
  });

  test('are compared', async () => {
    const { to } = await person.follow('/selection', { do: 'compare', topics });
    expect(to).toBe('/compare?topics=harbour-ferry%2Cnight-tram');
  });

  test('without a selection nothing changes, and an unknown change is refused', async () => {
    expect(textOf((await person.follow('/selection', { do: 'pause' })).html)).toContain(
      'No topics were selected.',
    );
    expect((await person.post('/selection', { do: 'explode', topics })).status).toBe(400);
  });
});

test.each([
  [{ succeeded: 3 }, {}, true, 'Nothing needs you: 3 runs succeeded in the range, none failed.'],
  [{ succeeded: 3, failed: 1 }, {}, false, /3 runs succeeded, 1 failed/],
  [{ succeeded: 3, skipped: 2 }, {}, false, /not everything was observed: 3 runs succeeded, 2 skipped/],
  [{ succeeded: 3 }, { isPartial: true }, false, /not everything was observed/],
  [{ succeeded: 3 }, { isActive: false }, false, /no search is active now/],
  [{}, { isActive: false }, false, 'Nothing ran in the range. No search is active.'],
  [{}, {}, false, 'Nothing ran in the range. Next run: then.'],
  [{ skipped: 2 }, { nextRunAt: null }, false, /^Nothing ran in the range; 0 runs succeeded, 2 skipped\.$/],
] as const)('runs %j, %j: good is %s', (runs, facts, isGood, words) => {
  const calm = describeCalm(
    {
      range: { words: 'in the range', until: null },
      runs: { succeeded: 0, failed: 0, skipped: 0, ...runs },
      isActive: true,
      nextRunAt: new Date(DAY),
      isPartial: false,
      ...facts,
    },
    () => 'then',
  );
  expect(calm.isGood).toBe(isGood);
  if (typeof words === 'string') expect(calm.words).toBe(words);
  else expect(calm.words).toMatch(words);
});
