/** The language of a topic: who may set it, what is translated into it and shown where, what erases it, and that nothing happens without it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { TranslatedText } from '../../src/model/translating.ts';
import { composeSections } from '../../src/monitor/digests/digest-sections.ts';
import { readDigest } from '../../src/monitor/digests/read-digest.ts';
import type { App } from '../../src/monitor/http/route-types.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { createTopic, putTopic } from '../../src/monitor/topics/save-topic.ts';
import { setLanguage } from '../../src/monitor/topics/topic-language.ts';
import { startTranslations, translateWaiting } from '../../src/monitor/translations/translate-texts.ts';
import { applyFile } from '../../src/monitor/watch-file/apply.ts';
import { describeAll } from '../../src/monitor/watch-file/describe.ts';
import { planFile } from '../../src/monitor/watch-file/plan.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { homeOf } from '../cli/stand.ts';
import { createStandInTranslator } from '../stand-in-translator.ts';
import { saveBody } from '../store/finds.ts';
import { wirePost } from '../stub-service.ts';
import { type Person, personAt } from '../web/pages/person.ts';
import { makeWorld, type World } from '../world.ts';

const FERRY = '港口渡轮因大风停航至周一';
const FERRY_EN = 'The harbour ferry <b>is suspended</b> until Monday because of strong winds';
const COURT = 'El tribunal falló contra la compañía portuaria';
const COURT_EN = 'The court ruled against the port company';
const ENGLISH = 'The ferry company apologizes to its passengers';
const KNOWN = new Map([
  [FERRY, FERRY_EN],
  [COURT, COURT_EN],
]);
const translator = createStandInTranslator();
const never = new AbortController().signal;

let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1', translator });
  app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: WEB.pages });
  person = personAt(app);
});
beforeEach(async () => {
  await rows('UPDATE strandline.topics SET language = NULL');
  world.ctx.translator = translator;
  translator.asked = [];
  translator.reply = ({ texts }) => ({
    outcome: 'translated',
    texts: texts.map((text): TranslatedText => {
      const known = KNOWN.get(text);
      return known === undefined ? 'none' : { text: known };
    }),
  });
});
afterAll(async () => {
  await app?.close();
  await world.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const translate = (signal = never) => translateWaiting(world.ctx, signal);
const askedTexts = () => translator.asked.flatMap(({ texts }) => texts);

let named = 0;
async function newSearch(
  language: string | null = 'en',
  operation: 'microblog' | 'ai' = 'microblog',
): Promise<{ topic: string; search: Search }> {
  const topic = `read-${(named += 1)}`;
  const { search } = await createSearch(world.ctx, {
    slug: `in-${topic}`,
    topic,
    operation,
    prompt: topic,
    every: '1h',
  });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  if (language !== null) await setLanguage(world.ctx, topic, language);
  return { topic, search };
}
let posted = 0;
const post = (text: string, more: object = {}) => {
  const id = String(5_000_000 + (posted += 1));
  return wirePost(id, { text, created_at: world.clock.now().toISOString(), ...more });
};
const finds = (search: Search, ...posts: object[]) => saveBody(world, search, { miner_tweets: posts });
const shown = async (topic: string) =>
  rows(
    `SELECT t.kind, t.language, t.text, t.model FROM strandline_analytics.translations t
     JOIN strandline_analytics.discoveries d ON d.topic = $1 AND (d.post_id = t.item_id AND t.kind = 'post' OR d.link_id = t.item_id AND t.kind IN ('title', 'snippet'))
     ORDER BY t.text`,
    [topic],
  );

test('posts in another language are translated, in one request, and never again', async () => {
  const { topic, search } = await newSearch();
  await finds(
    search,
    post(FERRY, { lang: 'zh' }),
    post(COURT, { lang: 'es' }),
    post(ENGLISH, { lang: 'en' }),
    post(`${ENGLISH} again`, { lang: 'en-GB' }),
  );
  expect(await translate()).toBe(2);
  expect(translator.asked).toEqual([{ language: 'en', texts: expect.arrayContaining([FERRY, COURT]) }]);
  expect(askedTexts()).toHaveLength(2);
  expect(await shown(topic)).toEqual([
    { kind: 'post', language: 'en', text: COURT_EN, model: 'small-1' },
    { kind: 'post', language: 'en', text: FERRY_EN, model: 'small-1' },
  ]);
  world.clock.advance(HOUR);
  expect(await translate()).toBe(0);
  expect(translator.asked).toHaveLength(1);
});

test('a copy has the translation of the first, also in another topic; an edited text is translated again', async () => {
  const { search } = await newSearch();
  const text = `${COURT} esta mañana`;
  KNOWN.set(text, `${COURT_EN} this morning`);
  KNOWN.set(`${text}.`, `${COURT_EN} this very morning`);
  const first = post(text, { lang: 'es' });
  await finds(search, first, post(text, { lang: 'es' }));
  expect(await translate()).toBe(1);
  const other = await newSearch();
  await finds(other.search, post(text, { lang: 'es' }));
  expect(await translate()).toBe(0);
  expect(await shown(other.topic)).toHaveLength(1);
  expect(askedTexts()).toEqual([text]);
  world.clock.advance(HOUR);
  await finds(search, { ...first, text: `${text}.` });
  await translate();
  expect(askedTexts()).toEqual([text, `${text}.`]);
  const { html } = await person.get(`/topics/${search.slug.slice(3)}/posts`);
  expect(html).toContain('this very morning');
});

test('titles and snippets of links, and statements of the newest answer', async () => {
  const { topic, search } = await newSearch('en', 'ai');
  const [title, snippet, said, more] = [
    '港口公司败诉',
    '法院周二裁定港口公司违约',
    '渡轮停航至周一。',
    '公司已道歉。',
  ];
  for (const [text, english] of [
    [title, 'Port company loses in court'],
    [snippet, 'On Tuesday the court found the port company in breach'],
    [said, 'The ferry is suspended until Monday.'],
    [more, 'The company has apologized.'],
  ] as const)
    KNOWN.set(text, english);
  const link = { title, link: 'https://news.example/a', snippet };
  await saveBody(world, search, {
    web_search_results: { organic_results: [link] },
    completion: { summary: `${said} [1](https://news.example/a) ${more}` },
  });
  expect(await translate()).toBe(4);
  // What the answer says comes first.
  expect(askedTexts()).toEqual([expect.anything(), expect.anything(), title, snippet]);
  const { html } = await person.get(`/topics/${topic}?range=7d&tab=links`);
  expect(html).toContain('The ferry is suspended until Monday. The company has apologized.');
  expect(html).toContain('Port company loses in court');
  const [{ id }] = await rows(`SELECT id FROM strandline.links WHERE title = $1`, [title]);
  const page = await person.get(`/links/${id}`);
  expect(page.html).toContain('Port company loses in court');
  expect(page.html).toContain('On Tuesday the court found the port company in breach');
});

test('a translation is beside its original, in its language, with the model, on every page of the topic', async () => {
  const { topic, search } = await newSearch();
  const copy = { lang: 'zh' };
  await finds(search);
  world.clock.advance(MINUTE);
  await finds(search, post(FERRY, copy), post(`RT @ada: ${FERRY}`, copy));
  await translate();
  const [{ id }] = await rows('SELECT id FROM strandline.posts WHERE text = $1 ORDER BY id DESC LIMIT 1', [
    FERRY,
  ]);
  for (const path of [
    `/topics/${topic}?range=7d`,
    `/topics/${topic}/posts`,
    `/topics/${topic}/discoveries`,
    `/posts/${id}`,
  ]) {
    const { html } = await person.get(path);
    expect(html, path).toContain(FERRY);
    expect(html, path).toContain('<bdi dir="auto" lang="en">The harbour ferry &lt;b>is suspended');
    expect(html, path).toMatch(/title="[^"]+">translated by <bdi dir="auto">small-1/);
  }
  expect((await person.get(`/posts/${id}`)).html).toContain(`lang="zh">${FERRY}`);
});

test('a digest has the translations that are there, marked, and waits for none', async () => {
  const { topic, search } = await newSearch();
  await finds(search);
  world.clock.advance(MINUTE);
  const text = `${FERRY},明日再议`;
  const english = `${FERRY_EN}, to be discussed again tomorrow`;
  KNOWN.set(text, english);
  await finds(search, post(text, { lang: 'zh' }));
  const span = {
    topic,
    from: new Date(world.clock.now().getTime() - HOUR),
    until: new Date(world.clock.now().getTime() + 1),
    tz: 'UTC',
  };
  const before = await readDigest(world.ctx, span);
  expect(before.topics[0]?.items[0]).not.toHaveProperty('translation');
  await translate();
  const digest = await readDigest(world.ctx, span);
  expect(digest.topics[0]?.items[0]?.translation).toEqual({
    text: english,
    language: 'en',
    model: 'small-1',
  });
  const lines = composeSections(digest).flatMap((section) => section.lines);
  const at = lines.findIndex(({ words }) => words === text);
  expect(lines[at + 1]).toMatchObject({ style: 'note', words: `${english} (translated by small-1)` });
  expect((await readDigest({ ...world.ctx, translator: null }, span)).topics).toEqual(before.topics);
});

test('another topic shows none, nor does the same without its language', async () => {
  const { topic, search } = await newSearch();
  const other = await newSearch(null);
  await finds(search, post(COURT, { lang: 'es' }));
  await finds(other.search, post(COURT, { lang: 'es' }));
  await translate();
  expect((await person.get(`/topics/${topic}/posts`)).html).toContain(COURT_EN);
  expect((await person.get(`/topics/${other.topic}/posts`)).html).not.toContain(COURT_EN);
  await setLanguage(world.ctx, topic, null);
  expect((await person.get(`/topics/${topic}/posts`)).html).not.toContain(COURT_EN);
  await setLanguage(world.ctx, topic, 'en');
  await translate();
  expect((await person.get(`/topics/${topic}/posts`)).html).toContain(COURT_EN);
});

test('a topic that gets a language has what it found in the last week', async () => {
  const { topic, search } = await newSearch(null);
  const [old, late] = ['El barco de la semana pasada', 'El barco de ayer en el puerto'];
  KNOWN.set(old, 'The boat of last week').set(late, 'The boat of yesterday in the port');
  await finds(search, post(old, { lang: 'es' }));
  world.clock.advance(8 * DAY);
  await finds(search, post(late, { lang: 'es' }));
  expect(await translate()).toBe(0);
  await setLanguage(world.ctx, topic, 'en');
  expect(await translate()).toBe(1);
  expect(askedTexts()).toEqual([late]);
});

test('what a model cannot translate is asked for twice; a model that is unavailable is asked again later', async () => {
  const { topic, search } = await newSearch();
  const text = 'Un texto que nadie puede traducir';
  await finds(search, post(text, { lang: 'es' }));
  translator.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  expect(await translate()).toBe(0);
  expect(await translate()).toBe(0);
  expect(translator.asked).toHaveLength(1);
  world.clock.advance(10 * MINUTE);
  translator.reply = () => ({ outcome: 'unusable', reason: 'returned no translations' });
  await translate();
  expect(translator.asked).toHaveLength(3);
  world.clock.advance(DAY);
  await translate();
  expect(translator.asked).toHaveLength(3);
  expect(await shown(topic)).toEqual([]);
  expect((await person.get(`/topics/${topic}/posts?range=all`)).html).toContain(text);
});

test('many texts are asked for in batches, long ones by their beginning', async () => {
  const { search } = await newSearch();
  const long = (n: number) => `Texto ${n} ${'muy largo de verdad '.repeat(100)}`;
  await finds(search, ...Array.from({ length: 12 }, (_, n) => post(long(n), { lang: 'es' })));
  await translate();
  expect(translator.asked.map(({ texts }) => texts.length)).toEqual([6, 6]);
  expect(askedTexts().every((text) => text.length <= 1_000 && text.endsWith('…'))).toBe(true);
});

test('two workers ask for each text once', async () => {
  const { search } = await newSearch();
  await finds(
    search,
    ...Array.from({ length: 30 }, (_, n) => post(`Barco ${n} en el puerto`, { lang: 'es' })),
  );
  await Promise.all([translate(), translate(), translate()]);
  expect(askedTexts().toSorted()).toEqual([...new Set(askedTexts())].toSorted());
  expect(askedTexts()).toHaveLength(30);
});

test('forgetting an author and purging a search erase translations; what is erased meanwhile has none', async () => {
  const { ctx, db } = world;
  const { topic, search } = await newSearch();
  const by = (name: string, text: string) =>
    post(text, { lang: 'es', user: { id: `9${name.length}77`, username: name, name } });
  const secret = 'Un secreto de marigold en el puerto';
  KNOWN.set(secret, 'A secret of marigold in the port');
  await finds(search, by('marigold', secret), by('someone', COURT));
  const count = async () => (await shown(topic)).length;
  const forget = async (name: string) => {
    const author = await findAuthor(db, 'hosted', name);
    await forgetAuthor(ctx, author ?? expect.fail('not known'));
  };
  await translate();
  expect(await count()).toBe(2);
  await forget('@marigold');
  const left = await rows(
    `SELECT count(*)::int AS n FROM strandline.translations WHERE text LIKE '%marigold%'`,
  );
  expect([await count(), left[0]?.n]).toEqual([1, 0]);
  const other = 'Otro secreto de tulip en el puerto';
  KNOWN.set(other, 'Another secret of tulip in the port');
  await finds(search, by('tulip', other));
  translator.reply = async () => {
    await forget('@tulip');
    return { outcome: 'translated', texts: [{ text: 'Another secret of tulip in the port' }] };
  };
  await translate();
  expect(await rows(`SELECT FROM strandline.translations WHERE text LIKE '%tulip%'`)).toEqual([]);
  await finishPurge(db, await requestPurge(ctx, { kind: 'search', slug: search.slug }));
  expect(await count()).toBe(0);
  expect(
    await rows(
      `SELECT FROM strandline.translations t WHERE t.kind = 'post' AND NOT EXISTS (SELECT FROM strandline.posts p WHERE p.id = t.thing)`,
    ),
  ).toEqual([]);
});

test('without a model: no request, no statement, no row, and pages as before', async () => {
  const { topic, search } = await newSearch();
  await finds(search, post(COURT, { lang: 'es' }));
  const before = await rows('SELECT count(*)::int AS n FROM strandline.translations');
  world.ctx.translator = null;
  let statements = 0;
  const watched = {
    ...world.ctx,
    db: new Proxy(world.db, { get: (of, name) => ((statements += 1), Reflect.get(of, name)) }),
  };
  expect(await translateWaiting(watched, never)).toBe(0);
  expect(await startTranslations(watched, 1)()).toBeUndefined();
  expect(statements).toBe(0);
  expect(translator.asked).toEqual([]);
  expect(await rows('SELECT count(*)::int AS n FROM strandline.translations')).toEqual(before);
  for (const path of [`/topics/${topic}?range=7d`, `/topics/${topic}/posts`]) {
    const { html } = await person.get(path);
    expect(html).toContain(COURT);
    expect(html).not.toContain('translated');
  }
  expect((await person.get(`/topics/${topic}/edit`)).html).toContain('set LLM_BASE_URL');
});

test('a worker that stops leaves a request; another sends it again', async () => {
  const { search } = await newSearch();
  await finds(search, post('Un barco que no llega al puerto', { lang: 'es' }));
  let isAsked = false;
  translator.reply = (_request, signal) => {
    isAsked = true;
    return new Promise((_done, fail) => {
      signal.addEventListener('abort', () => fail(new Error('aborted')));
    });
  };
  const stop = startTranslations(world.ctx, 1);
  await expect.poll(() => isAsked).toBe(true);
  await stop();
  translator.asked = [];
  translator.reply = ({ texts }) => ({ outcome: 'translated', texts: texts.map(() => 'none') });
  await translate();
  expect(translator.asked).toEqual([]);
  world.clock.advance(3 * MINUTE);
  await translate();
  expect(askedTexts()).toEqual(['Un barco que no llega al puerto']);
});

test('a language is a tag, refused without a model; every door sets it', async () => {
  const { ctx } = world;
  const without = { ...ctx, translator: null };
  const searches = [{ operation: 'microblog', prompt: 'x', every: '1h' }];
  await expect(createTopic(without, { name: 'Refused', language: 'en', searches })).rejects.toThrow(
    'set LLM_BASE_URL and LLM_MODEL',
  );
  await createTopic(ctx, { name: 'Tongues', slug: 'tongues', language: ' PT-br ', searches });
  const languageOf = async () =>
    (await rows(`SELECT language FROM strandline_analytics.topics WHERE slug = 'tongues'`))[0]?.language;
  expect(await languageOf()).toBe('pt-BR');
  for (const wrong of ['xx', 'English', 'und', 'e', 'en;', 'en-Latn-US-x-very-long'])
    await expect(setLanguage(ctx, 'tongues', wrong), wrong).rejects.toThrow(
      'the tag of a language, such as en',
    );
  // Without a model it may stay, and be removed.
  await setLanguage(without, 'tongues', 'pt-BR');
  await expect(setLanguage(without, 'tongues', 'de')).rejects.toThrow('set LLM_BASE_URL');
  const written = { name: 'Tongues', searches: [{ ...searches[0], prompt: 'x', slug: 'tongues-posts' }] };
  await putTopic(ctx, 'tongues', { ...written, language: 'de' }, { onlyCreate: false });
  expect(await languageOf()).toBe('de');
  await setLanguage(without, 'tongues', 'none');
  expect(await languageOf()).toBeNull();
  const api = (language: string) =>
    app.inject({ method: 'POST', url: '/api/v1/topics/tongues/language', payload: { language } });
  expect((await api('en')).json()).toEqual({ topic: 'tongues', language: 'en' });
  expect((await api('klingonese')).statusCode).toBe(400);
  expect((await person.post('/topics/tongues/language', { language: 'ja' })).status).toBe(303);
  expect(await languageOf()).toBe('ja');
  const file = { name: 'ours', topics: { tongues: { name: 'Tongues', language: 'fr' } } };
  expect((await applyFile(ctx, file, { absent: 'keep' })).failed).toBeNull();
  expect(await languageOf()).toBe('fr');
  expect((await describeAll(ctx, 'tongues')).file).toMatchObject({ topics: { tongues: { language: 'fr' } } });
  await expect(
    planFile(without, { ...file, topics: { tongues: { language: 'de' }, more: { language: 'de' } } }, 'keep'),
  ).rejects.toThrow('set LLM_BASE_URL');
  expect((await planFile(without, file, 'keep')).steps.map(({ action }) => action)).toEqual(['unchanged']);
  expect((await applyFile(ctx, { ...file, topics: { tongues: {} } }, { absent: 'keep' })).failed).toBeNull();
  expect(await languageOf()).toBeNull();
});

test('a worker whose clock is a day ahead does not ask for what another worker has asked for', async () => {
  const { topic, search } = await newSearch();
  await finds(search, post('El puerto estará cerrado durante toda la semana', { lang: 'es' }));
  const { reply } = translator;
  const killed = new Error('killed');
  translator.reply = () => Promise.reject(killed);
  await expect(translate()).rejects.toBe(killed);
  const clock = { ...world.clock, now: () => new Date(world.clock.now().getTime() + DAY) };
  translator.reply = reply;
  await translateWaiting({ ...world.ctx, clock }, never);
  expect(translator.asked).toHaveLength(1);
  world.clock.advance(HOUR);
  translator.reply = ({ texts }) => ({
    outcome: 'translated',
    texts: texts.map(() => ({ text: 'The port will be closed all week' })),
  });
  expect(await translateWaiting({ ...world.ctx, clock }, never)).toBe(1);
  const [{ translated_at }] = await rows(
    `SELECT t.translated_at FROM strandline_analytics.translations t
     JOIN strandline_analytics.discoveries d ON d.post_id = t.item_id AND d.topic = $1`,
    [topic],
  );
  expect(translated_at).toEqual(world.clock.now());
});
