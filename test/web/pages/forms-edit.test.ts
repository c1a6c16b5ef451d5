/** Changes to topics and searches by forms and buttons. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { createSearch, editSearch } from '../../../src/monitor/topics/save-search.ts';
import { createTopic, renameTopic } from '../../../src/monitor/topics/save-topic.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  stub = await startStub(json({ miner_tweets: [wirePost('1')] }));
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB, { runsPerMinute: 1_000 });
  person = personAt(app);
  await createTopic(world.ctx, {
    name: 'Ferry',
    searches: [
      { operation: 'microblog', prompt: 'harbour ferry', every: '90s' },
      { operation: 'ai', prompt: 'ferry news', cron: '0 8 * * *', tz: 'Europe/Berlin', tools: ['web'] },
    ],
  });
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const search = async (slug: string) =>
  (await rows('SELECT * FROM strandline_analytics.searches WHERE slug = $1', [slug]))[0];

/** What a browser would send of a form that nobody touched. */
function untouched(html: string): Record<string, string | string[]> {
  const form = /<form[^>]*class="form[ "][^]*?<\/form>/.exec(html)?.[0] ?? '';
  const fields: [string, string][] = [];
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const box = input.includes('type="checkbox"');
    if (name !== undefined && (!box || / checked/.test(input)))
      fields.push([name, (/value="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&quot;', '"')]);
  }
  for (const [, name = '', text = ''] of form.matchAll(
    /<textarea[^>]*name="(\w+)"[^>]*>([^]*?)<\/textarea>/g,
  ))
    fields.push([name, text.replaceAll('&quot;', '"')]);
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]*name="(\w+)"[^>]*>([^]*?)<\/select>/g))
    fields.push([name, /<option value="([^"]*)" selected/.exec(options)?.[1] ?? '']);
  const sent: Record<string, string | string[]> = {};
  for (const [name, value] of fields)
    sent[name] = sent[name] === undefined ? value : [sent[name], value].flat();
  delete sent['form_token'];
  return sent;
}

test('an untouched form changes nothing, whatever the search', async () => {
  await createSearch(world.ctx, {
    slug: 'labelled',
    topic: 'labels',
    operation: 'microblog',
    prompt: 'quay',
    every: '1h',
    labels: ['a,b', 'c'],
  });
  for (const slug of ['ferry-posts', 'ferry-ai', 'labelled']) {
    const { html, status } = await person.get(`/searches/${slug}/edit`);
    expect(status).toBe(200);
    const made = await person.post(`/searches/${slug}/edit`, { ...untouched(html), do: 'save' });
    expect(made).toMatchObject({ status: 303, to: `/searches/${slug}` });
    expect(await search(slug)).toMatchObject({ version: 1 });
  }
  expect(textOf((await person.get('/new')).html)).toContain('Nothing changed.');
});

test('a changed request starts a new baseline, a changed schedule does not; versions list their changes', async () => {
  const url = '/searches/ferry-posts/edit';
  const form = untouched((await person.get(url)).html);
  expect(form).toMatchObject({ every: '90s', prompt: 'harbour ferry', sensitivity: 'normal' });
  await person.post(url, { ...form, prompt: '<b>pier</b>', do: 'save' });
  expect(await search('ferry-posts')).toMatchObject({
    version: 2,
    request_version: 2,
    prompt: '<b>pier</b>',
  });
  expect(textOf((await person.get('/new')).html)).toContain('what the next run finds was there at the start');
  const again = untouched((await person.get(url)).html);
  await person.post(url, {
    ...again,
    prompt: '<b>pier</b>',
    cron: '0 9 * * *',
    tz: 'UTC',
    labels: ' a, b ,, ',
    do: 'save',
  });
  expect(await search('ferry-posts')).toMatchObject({
    version: 3,
    request_version: 2,
    cron: '0 9 * * *',
    labels: ['a', 'b'],
  });
  const { html } = await person.get(url);
  const words = textOf(html);
  expect(words).toContain('prompt: “harbour ferry” → “<b>pier</b>”');
  expect(words).toContain('cron: none → “0 9 * * *”');
  expect(words).toContain('first version');
  expect(html).not.toContain('<b>pier');
});

test('problems are at their fields, input is kept, and nothing is saved', async () => {
  const { status, html } = await person.post('/searches/ferry-ai/edit', {
    prompt: '',
    model: 'NOVA',
    cron: '0 25 * * *',
    tz: 'Nowhere',
    extra: '{"prompt": 1}',
    date_filter: 'YESTERDAY',
    do: 'save',
  });
  expect(status).toBe(400);
  const wrong = [...html.matchAll(/id="field-(\w+)-wrong"/g)].map(([, name = '']) => name);
  expect(wrong.toSorted((a, b) => a.localeCompare(b))).toEqual(
    ['cron', 'date_filter', 'extra', 'prompt', 'tools', 'tz'].toSorted((a, b) => a.localeCompare(b)),
  );
  expect(html).toContain('value="0 25 * * *"');
  expect(html, 'unticked boxes stay unticked').not.toMatch(/name="tools"[^>]*checked/);
  expect(await search('ferry-ai')).toMatchObject({ version: 1 });
});

test('a form that was opened before another edit does not undo it, unless it is saved again', async () => {
  await createTopic(world.ctx, {
    name: 'Two browsers',
    searches: [{ operation: 'microblog', prompt: 'pier', every: '1h' }],
  });
  const url = '/searches/two-browsers-posts/edit';
  const opened = untouched((await person.get(url)).html);
  await editSearch(world.ctx, 'two-browsers-posts', { prompt: 'quay' });
  const refused = await person.post(url, { ...opened, labels: 'mine', do: 'save' });
  expect(refused.status).toBe(409);
  expect(textOf(refused.html)).toContain(
    'Fix one problem. Nothing was saved. Another edit: got "version 1 of two-browsers-posts"; expected what was saved since this form was opened; save again to replace it: version 2 of two-browsers-posts',
  );
  expect(refused.html, 'a hidden field is no target').not.toContain('#field-opened');
  expect(await search('two-browsers-posts')).toMatchObject({ prompt: 'quay', labels: [], version: 2 });
  const shown = untouched(refused.html);
  expect(shown).toMatchObject({ prompt: 'pier', labels: 'mine' });
  expect(await person.post(url, { ...shown, do: 'save' })).toMatchObject({ status: 303 });
  expect(await search('two-browsers-posts')).toMatchObject({ prompt: 'pier', labels: ['mine'], version: 3 });

  for (const { slug, edit, now } of [
    { slug: 'two-browsers', edit: { name: 'Both' }, now: '"Both" as two-browsers' },
    { slug: 'two-browsers', edit: { slug: 'both' }, now: '"Both" as both' },
  ]) {
    const names = untouched((await person.get(`/topics/${slug}/edit`)).html);
    await renameTopic(world.ctx, slug, edit);
    const to = `/topics/${edit.slug ?? slug}/rename`;
    const rename = await person.post(to, { ...names, name: 'Mine' });
    expect([rename.status, textOf(rename.html)]).toEqual([409, expect.stringContaining(`it: ${now}`)]);
  }

  const before = untouched((await person.get(url)).html);
  await editSearch(world.ctx, 'two-browsers-posts', { slug: 'one-browser' });
  expect(await person.post('/searches/one-browser/edit', { ...before, do: 'save' })).toMatchObject({
    status: 409,
  });
});

test('an edit can be tried with the service of the search, and its schedule is forecast', async () => {
  stub.requests.length = 0;
  const form = untouched((await person.get('/searches/ferry-posts/edit')).html);
  const { html, status } = await person.post('/searches/ferry-posts/edit', {
    ...form,
    prompt: 'tried',
    do: 'try',
  });
  expect(status).toBe(200);
  expect(textOf(html)).toContain('Trial: ferry-posts');
  expect(stub.requests).toMatchObject([{ body: { prompt: 'tried' } }]);
  expect(await search('ferry-posts')).toMatchObject({ version: 3 });
  const told = await person.get('/searches/ferry-posts/forecast?every=1h');
  expect(textOf(told.html)).toContain('Posts : every hour.');
});

test('buttons pause, resume, run and remove, and the next page confirms it', async () => {
  await person.post('/searches/ferry-posts/pause');
  expect(await search('ferry-posts')).toMatchObject({ state: 'paused' });
  expect(textOf((await person.get('/new')).html)).toContain('Paused.');
  expect(await person.post('/searches/ferry-posts/resume')).toMatchObject({
    status: 303,
    to: '/searches/ferry-posts',
  });
  expect(await search('ferry-posts')).toMatchObject({ state: 'active' });

  world.enqueued.length = 0;
  await person.post('/searches/ferry-posts/run');
  expect(world.enqueued).toHaveLength(1);
  expect(
    await rows('SELECT trigger, status FROM strandline.runs WHERE id = $1', [world.enqueued[0]?.runId]),
  ).toEqual([{ trigger: 'manual', status: 'queued' }]);
  expect(textOf((await person.get('/new')).html)).toContain('Run queued.');
  for (const url of ['/searches/ferry-posts/run', '/topics/ferry/run']) {
    if (url.startsWith('/topics')) await person.post('/searches/ferry-ai/pause');
    await person.post(url);
    expect(textOf((await person.get('/new')).html)).toContain('A run is already queued.');
  }
  expect(world.enqueued, 'one queued run is enough').toHaveLength(1);
  await rows(`UPDATE strandline.runs SET status = 'cancelled', ended_at = $2 WHERE id = $1`, [
    world.enqueued[0]?.runId,
    world.clock.now(),
  ]);
  world.enqueued.length = 0;
  await person.post('/topics/ferry/run');
  expect(world.enqueued, 'stopped searches do not run').toHaveLength(1);
  await person.post('/topics/ferry/pause');
  expect(await search('ferry-posts')).toMatchObject({ state: 'paused' });
  await person.post('/topics/ferry/resume');
  expect(await search('ferry-ai')).toMatchObject({ state: 'active' });

  const asked = await person.get('/searches/ferry-ai/remove');
  expect(textOf(asked.html)).toMatch(/Deleted[^]*Kept[^]*posts, links/);
  expect(await search('ferry-ai'), 'the confirmation page removes nothing').toMatchObject({
    archived_at: null,
  });
  expect(await person.post('/searches/ferry-ai/remove')).toMatchObject({ status: 303, to: '/topics/ferry' });
  expect(await search('ferry-ai')).toMatchObject({ archived_at: expect.any(Date) });
  for (const url of ['/searches/ferry-ai/pause', '/searches/ferry-ai/run', '/searches/ferry-ai/remove'])
    expect(await person.post(url), url).toMatchObject({ status: 409 });
  expect(await person.get('/searches/ferry-ai/edit')).toMatchObject({ status: 409 });
  expect(await person.post('/searches/nothing/pause')).toMatchObject({ status: 404 });
});

test('a topic is renamed, shows its searches with buttons, and is removed after confirmation', async () => {
  const { html } = await person.get('/topics/ferry/edit');
  expect(html).toContain('href="/new?topic=ferry"');
  expect(html).toContain('action="/searches/ferry-posts/pause"');
  const bad = await person.post('/topics/ferry/rename', { name: '' });
  expect(bad).toMatchObject({ status: 400 });
  expect(bad.html).toContain('id="field-name-wrong"');
  const slug = await person.post('/topics/ferry/rename', { name: 'Kept', slug: 'No slug' });
  expect(textOf(slug.html)).toContain('Short name : got "No slug"');
  expect(slug.html).toContain('value="Kept"');
  await person.post('/topics/ferry/rename', { name: '<script>x</script>' });
  expect(await rows(`SELECT name FROM strandline.topics WHERE slug = 'ferry'`)).toEqual([
    { name: '<script>x</script>' },
  ]);
  const named = await person.get('/topics/ferry/edit');
  expect(named.html).not.toContain('<script>x');
  const asked = await person.get('/topics/ferry/remove');
  expect(textOf(asked.html)).toContain('1 search (Posts)');
  expect(await person.post('/topics/ferry/remove')).toMatchObject({ status: 303, to: '/' });
  expect(await search('ferry-posts')).toMatchObject({ archived_at: expect.any(Date) });
});

test('the pages of a removed topic show what it found, and its runs as the API does', async () => {
  await createTopic(world.ctx, {
    name: 'Pier',
    searches: [{ operation: 'microblog', prompt: 'pier', every: '1h' }],
  });
  for (const id of ['1', '2']) {
    stub.answers(json({ miner_tweets: [wirePost(id)] }));
    await executeRun(world.ctx, (await insertManualRun(world.ctx, 'pier-posts')).runId);
    world.clock.advance(60_000);
  }
  await derivePending(world.ctx, { settleMs: null });
  expect(await person.post('/topics/pier/remove')).toMatchObject({ status: 303 });
  const { html } = await person.get('/topics/pier');
  expect(textOf(html)).toContain('1 search');
  expect(html).toContain('href="/searches/pier-posts"');
  expect(html).toMatch(/line is-post/);
  expect(html).not.toContain('href="/new?topic=pier"');
  for (const filtered of ['/runs?topic=pier', '/explore?q=pier&topic=pier'])
    expect((await person.get(filtered)).html, filtered).toContain('<option value="pier" selected');
  const runs = await rows(`SELECT id FROM strandline_analytics.runs WHERE topic = 'pier' ORDER BY id DESC`);
  expect(runs).toHaveLength(2);
  for (const [scope, expected] of [
    ['topic=pier', runs],
    ['topic=pier&search=pier-posts', runs],
    ['topic=ferry&search=pier-posts', []],
  ] as const) {
    const page = await person.get(`/runs?${scope}`);
    const shown = [...page.html.matchAll(/<td class="number"><a href="\/runs\/(\d+)">/g)].map(([, id]) => id);
    const { items } = JSON.parse((await person.get(`/api/v1/runs?${scope}`)).html) as {
      items: { id: string }[]; // as the API replies
    };
    const ids = expected.map(({ id }) => String(id));
    expect([scope, page.status, shown, items.map(({ id }) => id)]).toEqual([scope, 200, ids, ids]);
  }
  await rows(`UPDATE strandline.searches SET topic_id = (SELECT id FROM strandline.topics WHERE slug = 'ferry')
    WHERE slug = 'pier-posts'`);
  const bare = await person.get('/topics/pier');
  expect(textOf(bare.html)).toContain('This topic has no searches.');
  expect(bare.html).not.toContain('href="/new?topic=pier"');
});

test('buttons and forms are refused without a form token', async () => {
  const made = await createTopic(world.ctx, {
    name: 'Guarded',
    searches: [{ operation: 'microblog', prompt: 'x', every: '1h' }],
  });
  const before = await rows('SELECT count(*) FROM strandline.runs');
  const [slug, topic] = ['guarded-posts', made.topic];
  for (const url of [
    ...['pause', 'resume', 'run', 'remove', 'edit'].map((what) => `/searches/${slug}/${what}`),
    ...['pause', 'resume', 'run', 'remove', 'rename'].map((what) => `/topics/${topic}/${what}`),
  ]) {
    expect(await person.forge(url), url).toMatchObject({ status: 403 });
    expect(await person.forge(url, { form_token: 'x.y' }), url).toMatchObject({ status: 403 });
  }
  expect(await search(slug)).toMatchObject({ state: 'active', version: 1, archived_at: null });
  expect(await rows('SELECT count(*) FROM strandline.runs')).toEqual(before);
});
