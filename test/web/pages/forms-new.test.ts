/** The form of a new topic: read, forecast, tried, saved. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, START, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});
afterEach(() => {
  world.clock.set(START);
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const countAll = () =>
  rows(
    'SELECT (SELECT count(*) FROM strandline.topics) AS topics, (SELECT count(*) FROM strandline.searches) AS searches, (SELECT count(*) FROM strandline.trials) AS trials',
  );
const BOTH = { sent: 'yes', searches: ['posts', 'ai'], ai_tools: ['Web Search'] };

test('one text and one button create a topic whose two searches run immediately', async () => {
  const { html, status } = await person.get('/new');
  expect(status).toBe(200);
  expect(textOf(html)).toMatch(
    /Posts : adaptive[^]* 24 calls a day[^]*AI search : every hour, 24 calls a day[^]*48 calls a day and 1,440 calls in 30 days; with retries at most 96 calls a day [^]*2,000 calls/,
  );
  // What the form first holds is what it sends where nothing else is touched.
  const untouched = [...html.matchAll(/name="(\w+)" value="([^"]+)" checked/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect(untouched).toContainEqual(['searches', 'posts']);
  expect(untouched.filter(([name]) => name === 'ai_tools')).toHaveLength(7);

  const made = await person.post('/new', { ...BOTH, text: 'harbour ferry', do: 'save' });
  expect([made.status, made.to]).toEqual([303, '/topics/harbour-ferry']);
  expect(
    await rows(
      `SELECT slug, prompt, every_seconds, auto, service, tools FROM strandline_analytics.searches WHERE topic = 'harbour-ferry' ORDER BY slug`,
    ),
  ).toEqual([
    {
      slug: 'harbour-ferry-ai',
      prompt: 'harbour ferry',
      every_seconds: 3600,
      auto: null,
      service: 'hosted',
      tools: ['Web Search'],
    },
    {
      slug: 'harbour-ferry-posts',
      prompt: 'harbour ferry',
      every_seconds: null,
      auto: 'auto',
      service: 'hosted',
      tools: [],
    },
  ]);
  expect(world.enqueued).toHaveLength(2);
  const after = await person.get('/');
  expect(textOf(after.html)).toContain('The first runs are starting');
  expect(textOf((await person.get('/')).html), 'shown once').not.toContain('The first runs are starting');
});

test('all problems are at their fields, and input is kept', async () => {
  const before = await countAll();
  const { status, html } = await person.post('/new', {
    sent: 'yes',
    searches: ['posts', 'ai'],
    text: ' ',
    name: 'My "own" name',
    slug: 'Not A Slug',
    posts_cron: '61 8 * * *',
    posts_tz: 'Europe/Berlim',
    ai_every: '10s',
    ai_model: 'FAST',
    service: 'elsewhere',
    do: 'save',
  });
  expect(status).toBe(400);
  const wrong = [...html.matchAll(/id="field-(\w+)-wrong"/g)]
    .map(([, name = '']) => name)
    .toSorted((a, b) => a.localeCompare(b));
  expect(wrong).toEqual(['ai_every', 'ai_model', 'ai_tools', 'posts_cron', 'posts_tz', 'slug', 'text']);
  expect(html).toContain('value="My &quot;own&quot; name"');
  expect(html).toContain('value="61 8 * * *"');
  expect(textOf(html)).toContain('did you mean Europe/Berlin');
  expect(html).toMatch(/<details class="more" open/);
  expect(await countAll()).toEqual(before);
  const none = await person.post('/new', { sent: 'yes', text: 'ferry', do: 'save' });
  expect(none.html).toContain('id="field-searches-wrong"');
  const service = await person.post('/new', { ...BOTH, text: 'ferry', service: 'elsewhere', do: 'save' });
  expect(service.html).toContain('id="field-service-wrong"');
});

test('an existing topic is linked; a taken short name is reported at its field', async () => {
  await person.post('/new', { ...BOTH, text: 'taken', do: 'save' });
  const { status, html } = await person.post('/new', { ...BOTH, text: 'Taken', do: 'save' });
  expect(status).toBe(409);
  expect(html).toMatch(/id="field-text-wrong"[^]*Already watched: <a href="\/topics\/taken">taken<\/a>/);
  expect(textOf(html)).toContain('What do you want to watch? Already watched: taken');
  expect(html).not.toContain('id="field-slug-wrong"');
  const named = await person.post('/new', { ...BOTH, text: 'pier', name: 'Taken', do: 'save' });
  expect(named.html).toMatch(/id="field-name-wrong"[^]*href="\/topics\/taken"/);
  const slug = await person.post('/new', { ...BOTH, text: 'pier', slug: 'taken', do: 'save' });
  expect(slug.status).toBe(409);
  expect(slug.html).toContain('id="field-slug-wrong"');
  expect(textOf(slug.html)).toContain(
    'Short name : got "taken"; expected another one: the topic "taken" already exists',
  );
});

test('a missing value is named by its label', async () => {
  const { html } = await person.post('/new', { ...BOTH, text: '', do: 'save' });
  expect(html).toContain('<a href="#field-text">What do you want to watch?</a> <bdi dir="auto">got nothing');
});

test('searches are added to an existing topic only', async () => {
  await person.post('/new', { ...BOTH, text: 'joined', do: 'save' });
  expect(textOf((await person.get('/new?topic=joined')).html)).toContain(
    'What do you want to add to joined?',
  );
  const more = { ...BOTH, searches: ['posts'], topic: 'joined', text: 'pier', do: 'save' };
  expect(await person.post('/new', more)).toMatchObject({ status: 303, to: '/topics/joined' });
  expect(
    await rows(`SELECT slug FROM strandline_analytics.searches WHERE topic = 'joined' AND prompt = 'pier'`),
  ).toEqual([{ slug: 'joined-posts-2' }]);
  expect(await person.get('/new?topic=nowhere')).toMatchObject({ status: 404 });
  expect(await person.post('/new', { ...more, topic: 'nowhere' })).toMatchObject({ status: 404 });
});

test('only services that can answer are offered, and none of the sandbox', async () => {
  const services = async (by: typeof person) => {
    const { html } = await by.get('/new');
    const [, options = ''] = /<select[^>]*name="service"[^>]*>([^]*?)<\/select>/.exec(html) ?? [];
    return [...options.matchAll(/value="(\w*)"( selected)?/g)].map(
      ([, kind, chosen]) => `${kind}${chosen ?? ''}`,
    );
  };
  expect(await services(person)).toEqual(['hosted selected']);
  const refused = await person.post('/new', { ...BOTH, text: 'played', service: 'sandbox', do: 'save' });
  expect([refused.status, refused.html.match(/id="field-\w+-wrong"/g)]).toEqual([
    400,
    ['id="field-service-wrong"'],
  ]);
  expect(textOf(refused.html)).toContain('below /sandbox');
  expect(refused.html).toContain('value="played"');

  const config = { ...world.ctx.config, hosted: undefined };
  const bare = await buildHttpServer(homeOf({ ...world, ctx: { ...world.ctx, config } }), WEB);
  const unset = await personAt(bare).get('/new');
  await bare.close();
  expect(textOf(unset.html)).toContain('No service is configured: set SEARCH_API_URL');
});

test('the short form of the overview creates what the whole form would', async () => {
  const short = { text: 'tide pools', searches: ['posts', 'ai'] };
  expect(await person.post('/new', { ...short, do: 'save' })).toMatchObject({ to: '/topics/tide-pools' });
  const shown = await person.post('/new', { ...short, do: 'preview' });
  expect(shown.html.match(/name="ai_tools"[^>]* checked/g)).toHaveLength(7);
});

test('a trial makes one call, shows escaped results, and saves only its own row', async () => {
  const hostile = '<img src=x onerror=alert(1)>\u202e';
  stub.answers(
    json({ miner_tweets: [wirePost('1', { text: hostile, url: 'javascript:alert(1)' }), wirePost('2')] }),
  );
  const [before] = await countAll();
  const { status, html } = await person.post('/new', { ...BOTH, text: '"><script>x</script>', do: 'try' });
  expect(status).toBe(200);
  expect(stub.requests).toMatchObject([{ body: { prompt: '"><script>x</script>' } }]);
  expect(textOf(html)).toContain('2 posts (0 already known)');
  expect(html).not.toContain('<script>x');
  expect(html).not.toContain('<img src=x');
  expect(html).toContain('&lt;img src=x onerror=alert(1)>␣');
  expect(html).not.toContain('href="javascript:');
  const [after] = await countAll();
  expect(after).toEqual({ ...before, trials: before.trials + 1n });
});

test('the button of a search tries that search, and a failed call is explained', async () => {
  stub.answers(json({ detail: '<b>no</b> balance' }, 402));
  const { status, html } = await person.post('/new', { ...BOTH, text: 'ferry', do: 'try_ai' });
  expect(status).toBe(200);
  expect(stub.requests).toMatchObject([{ body: { tools: ['Web Search'] } }]);
  expect(textOf(html)).toContain('the account at the service has no balance');
  expect(html).not.toContain('<b>no</b>');
  const wrong = await person.post('/new', { ...BOTH, text: '', ai_prompt: ' ', do: 'try_ai' });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('id="field-text-wrong"');
  expect(stub.requests).toHaveLength(1);
});

test('the forecast fragment shows the schedule, next runs in the zone, and problems', async () => {
  const query = new URLSearchParams({
    sent: 'yes',
    text: 'x',
    searches: 'posts',
    posts_cron: '0 8 * * 1-5',
    posts_tz: 'Europe/Berlin',
  });
  const { html, status } = await person.get(`/new/forecast?${query}`);
  expect(status).toBe(200);
  expect(html).not.toContain('<html');
  expect(textOf(html)).toContain('at 08:00, Monday through Friday, Europe/Berlin time');
  expect(textOf(html)).toContain('Next 23 Nov, 08:00 ; 24 Nov, 08:00 ; 25 Nov, 08:00');
  expect(textOf(html)).toContain('Cost: unknown');
  query.set('posts_cron', '<b>');
  const wrong = await person.get(`/new/forecast?${query}`);
  expect(textOf(wrong.html)).toContain('Posts: cron');
  expect(wrong.html).not.toContain('<b>');
  const preview = await person.post('/new', { ...BOTH, text: '', ai_every: '5m', do: 'preview' });
  expect(preview.status, 'the same without script').toBe(200);
  expect(textOf(preview.html)).toContain('every 5 minutes');
});

test('the daily cost follows recent calls of the same kind', async () => {
  await rows(`INSERT INTO strandline.trials (service_id, operation, prompt, tools, model, streaming, extra, state, cost_usd, sent_at, deadline_at)
    SELECT id, 'microblog', 'x', '{}', 'NOVA', false, '{}', 'received', usd, now(), now()
    FROM strandline.services, unnest('{0.01,0.03}'::numeric[]) usd WHERE name = 'hosted'`);
  const { html } = await person.get('/new/forecast?sent=yes&searches=posts&posts_every=1h');
  // 24 runs at 0.02 each, and 48 calls at 0.03 each.
  expect(textOf(html)).toMatch(
    /about \$0\.48 a day and \$14\.40 in 30 days at recent costs, at most \$1\.44 and \$43\.20/,
  );
});

test('a form with a missing or wrong token changes nothing', async () => {
  const before = await countAll();
  for (const fields of [{}, { form_token: 'abc.def' }])
    expect(await person.forge('/new', { ...BOTH, text: 'forged', do: 'save', ...fields })).toMatchObject({
      status: 403,
    });
  expect(await countAll()).toEqual(before);
});
