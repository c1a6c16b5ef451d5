/** Applying files: who owns what, what is refused, what happens in between, and who may do it. */
import { afterAll, expect, test } from 'vitest';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { InvalidInput } from '../../src/model/errors.ts';
import { createToken, OPERATOR } from '../../src/monitor/access/manage-tokens.ts';
import type { Scope } from '../../src/monitor/access/visitor-scopes.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { renameTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import { type Applied, applyFile, type ApplyOptions } from '../../src/monitor/watch-file/apply.ts';
import { type Absent, planFile } from '../../src/monitor/watch-file/plan.ts';
import { RESOURCE_KINDS } from '../../src/monitor/watch-file/resource-kinds.ts';
import { homeOf } from '../cli/stand.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld({
  hosted: 'http://127.0.0.1:1',
  env: { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' },
});
const { ctx } = world;
const limits = { perMinute: 1_000_000, runsPerMinute: 1_000_000 };
const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] }, limits);
afterAll(async () => {
  await app.close();
  await world.close();
});

const apply = (file: unknown, options: Partial<ApplyOptions> = {}, as: ActingContext = ctx) =>
  applyFile(as, file, { absent: 'keep', ...options });
const plan = async (file: unknown, absent: Absent = 'keep') => planFile(ctx, file, absent);
const acting = async (file: unknown, absent: Absent = 'keep') =>
  (await plan(file, absent)).steps
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, kind, key }) => `${action} ${kind} ${key}`);
const brief = ({ applied }: Applied) => applied.map(({ action, kind, key }) => `${action} ${kind} ${key}`);
const rows = async (sql: string, ...values: unknown[]) =>
  (await world.db.pool.query<Record<string, unknown>>(sql, values)).rows;
const problemsOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidInput)) throw error;
  return error.problems;
};

const search = (prompt: string, more: object = {}) => ({
  prompt,
  operation: 'microblog',
  every: '1h',
  service: 'hosted',
  ...more,
});
const topic = (slug: string, ...prompts: string[]) => ({
  [slug]: { searches: Object.fromEntries(prompts.map((prompt, i) => [`${slug}-${i}`, search(prompt)])) },
});

test('each kind comes after those that it needs', () => {
  expect(RESOURCE_KINDS.map(({ name }) => name)).toEqual([
    'channel',
    'topic',
    'source',
    'name',
    'search',
    'rule',
  ]);
});

test('creates in the order of what needs what, owned by the name, and records it', async () => {
  const file = {
    name: 'order',
    rules: { 'order-rule': { channels: ['order-ops'], topic: 'order', on: ['post'] } },
    topics: {
      order: {
        sources: ['https://news.example/order'],
        names: [{ name: 'Order Line', rival: true }],
        ...topic('order', 'tides')['order'],
      },
    },
    channels: { 'order-ops': { webhook: 'http://127.0.0.1:1/order' } },
  };
  const applied = await apply(file);
  expect(applied.failed).toBeNull();
  expect(brief(applied)).toEqual([
    'create channel order-ops',
    'create topic order',
    'create source https://news.example/order',
    'create name order line',
    'create search order-0',
    'create rule order-rule',
  ]);
  expect(applied.secrets).toEqual([{ channel: 'order-ops', secret: expect.stringMatching(/^whsec_/) }]);
  const tables = ['channels', 'topics', 'topic_sources', 'topic_names', 'searches', 'rules'];
  for (const table of tables)
    expect(
      await rows(`SELECT count(*)::int AS n FROM strandline.${table} WHERE owner = 'order'`),
      table,
    ).toEqual([{ n: 1 }]);
  const audited = await rows(
    `SELECT action FROM strandline.audit_log WHERE subject LIKE 'order%' ORDER BY id`,
  );
  expect(audited.map(({ action }) => action)).toEqual([
    'channel.created',
    'topic.created',
    'topic.sources_changed',
    'topic.names_changed',
    'search.created',
    'rule.created',
  ]);
  expect(await acting(file)).toEqual([]);
  expect(await apply(file)).toMatchObject({ applied: [], failed: null });
});

test('adopts what nobody owns, says so, and changes it', async () => {
  await createSearch(ctx, {
    slug: 'adopted-0',
    topic: 'adopted',
    operation: 'microblog',
    prompt: 'tides',
    every: '2h',
    service: 'hosted',
  });
  const file = { name: 'adopting', topics: topic('adopted', 'tides') };
  const { steps, differs } = await plan(file);
  expect(differs).toBe(true);
  expect(steps.map(({ action, key, changes }) => [action, key, changes])).toEqual([
    ['adopt', 'adopted', {}],
    ['adopt', 'adopted-0', { every: { before: '2h', after: '1h' } }],
  ]);
  expect(brief(await apply(file))).toEqual(['adopt topic adopted', 'adopt search adopted-0']);
  expect(await acting(file)).toEqual([]);
});

test('refuses to change what another name owns, and not what is equal; it can be released', async () => {
  const first = { name: 'owner-a', topics: topic('owned', 'tides') };
  await apply(first);
  expect(await acting({ ...first, name: 'owner-b' })).toEqual([]);
  const changed = { name: 'owner-b', topics: topic('owned', 'storm') };
  expect(await problemsOf(plan(changed))).toEqual([
    {
      path: 'topics.owned.searches.owned-0',
      given: 'owned-0',
      expected: expect.stringMatching(/belongs to "owner-a".*prompt/),
    },
  ]);
  expect(await problemsOf(plan({ topics: changed.topics }))).toHaveLength(1);
  expect(brief(await apply({ name: 'owner-a' }, { absent: 'release' }))).toEqual([
    'release search owned-0',
    'release topic owned',
  ]);
  expect(brief(await apply(changed))).toEqual(['adopt topic owned', 'adopt search owned-0']);
  expect(
    await rows(
      `SELECT changes FROM strandline.audit_log WHERE subject = 'owned' AND changes ? 'owner' ORDER BY id`,
    ),
  ).toEqual([{ changes: { owner: { after: null } } }, { changes: { owner: { after: 'owner-b' } } }]);
});

test('removes only what the name owns, never what others put inside, and keeps results', async () => {
  const file = {
    name: 'pruned',
    topics: { ...topic('pruned-a', 'tides'), ...topic('pruned-b', 'tides'), ...topic('pruned-c', 'storm') },
  };
  await apply(file);
  await createSearch(ctx, {
    slug: 'of-a-person',
    topic: 'pruned-a',
    operation: 'microblog',
    prompt: 'tides',
    every: '1h',
    service: 'hosted',
  });
  const left = { name: 'pruned', topics: topic('pruned-c', 'storm') };
  expect(await acting(left)).toEqual([
    'keep search pruned-b-0',
    'keep search pruned-a-0',
    'keep topic pruned-b',
    'keep topic pruned-a',
  ]);
  expect((await plan(left)).differs).toBe(false);
  const { steps, removes_most } = await plan(left, 'remove');
  expect(removes_most).toBe(false);
  expect(steps.find(({ key }) => key === 'pruned-a')).toMatchObject({
    action: 'keep',
    note: expect.stringMatching(/search of-a-person/),
  });
  expect(brief(await apply(left, { absent: 'remove' }))).toEqual([
    'remove search pruned-b-0',
    'remove search pruned-a-0',
    'remove topic pruned-b',
  ]);
  expect(
    await rows(
      `SELECT slug FROM strandline.topics WHERE slug LIKE 'pruned-%' AND archived_at IS NULL ORDER BY 1`,
    ),
  ).toEqual([{ slug: 'pruned-a' }, { slug: 'pruned-c' }]);
  // Its history is kept.
  expect(
    await rows(
      `SELECT count(*)::int AS n FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE s.slug = 'pruned-b-0'`,
    ),
  ).toEqual([{ n: 1 }]);
});

test('removing more than half needs a confirmation', async () => {
  const file = { name: 'most', topics: { ...topic('most-a', 'tides'), ...topic('most-b', 'tides') } };
  await apply(file);
  const nothing = { name: 'most' };
  expect((await plan(nothing, 'remove')).removes_most).toBe(true);
  await expect(apply(nothing, { absent: 'remove' })).rejects.toMatchObject({ kind: 'conflict' });
  expect(brief(await apply(nothing, { absent: 'remove', remove_most: true }))).toHaveLength(4);
  expect(await problemsOf(plan({}, 'remove'))).toMatchObject([{ path: 'name' }]);
});

test('omitted means default', async () => {
  await apply({
    topics: {
      omitted: {
        name: 'With a name',
        searches: { 'omitted-0': search('tides', { labels: ['a'], sensitivity: 'high', model: 'ORBIT' }) },
      },
    },
  });
  const { steps } = await plan({
    topics: { omitted: { searches: { 'omitted-0': { prompt: 'tides', every: '1h' } } } },
  });
  expect(steps.map(({ action, changes }) => [action, changes])).toEqual([
    ['change', { name: { before: 'With a name', after: 'omitted' } }],
    [
      'change',
      {
        model: { before: 'ORBIT', after: 'NOVA' },
        labels: { before: ['a'], after: [] },
        sensitivity: { before: 'high', after: 'normal' },
      },
    ],
  ]);
  expect(steps.map(({ baseline }) => baseline)).toEqual([false, true]);
});

test('says the calls of a day before and after', async () => {
  const callsOf = async (file: unknown, absent: Absent = 'keep') => {
    const { calls } = await plan(file, absent);
    return calls.flatMap(({ service, free, before, after }) =>
      service === 'hosted' ? [[free, after - before]] : [],
    );
  };
  const file = (every: string) => ({
    name: 'calls',
    topics: { calls: { searches: { 'calls-0': { ...search('tides'), every } } } },
  });
  expect(await callsOf(file('1h'))).toEqual([[false, 24]]);
  await apply(file('1h'));
  expect(await callsOf(file('1h'))).toEqual([[false, 0]]);
  expect(await callsOf(file('30m'))).toEqual([[false, 24]]);
  await changeSearch(ctx, 'calls-0', 'pause');
  expect(await callsOf(file('30m'))).toEqual([[false, 0]]);
  await changeSearch(ctx, 'calls-0', 'resume');
  expect(await callsOf({ name: 'calls' }, 'remove')).toEqual([[false, -24]]);
});

test('a failure in the middle stops it; repeated, it continues', async () => {
  await world.db.pool.query(`CREATE FUNCTION strandline.fail_of_the_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE TRIGGER fail_of_the_test BEFORE INSERT ON strandline.searches FOR EACH ROW WHEN (NEW.slug = 'failing-1') EXECUTE FUNCTION strandline.fail_of_the_test()`);
  const file = { name: 'failing', topics: topic('failing', 'one', 'two', 'three') };
  const stopped = await apply(file);
  expect(brief(stopped)).toEqual(['create topic failing', 'create search failing-0']);
  expect(stopped.failed).toMatchObject({ step: { key: 'failing-1' }, status: 500, code: 'internal' });
  expect(stopped.left.map(({ key }) => key)).toEqual(['failing-2']);
  expect(await rows(`SELECT count(*)::int AS n FROM strandline.searches WHERE slug = 'failing-1'`)).toEqual([
    { n: 0 },
  ]);
  await world.db.pool.query(
    `DROP TRIGGER fail_of_the_test ON strandline.searches; DROP FUNCTION strandline.fail_of_the_test()`,
  );
  expect(brief(await apply(file))).toEqual(['create search failing-1', 'create search failing-2']);
  expect(await acting(file)).toEqual([]);
});

test('of two at once, each resource is created once, and the other one is told', async () => {
  const file = { name: 'twice', topics: topic('twice', 'one', 'two', 'three') };
  const { fingerprint } = await plan(file);
  const both = await Promise.all(
    [0, 1].map(() =>
      apply(file, { fingerprint }).then(
        ({ failed }) => failed?.code ?? 'done',
        (error: { kind: string }) => error.kind,
      ),
    ),
  );
  expect(both.toSorted()).toEqual(['changed', 'done']);
  expect(await acting(file)).toEqual([]);
  expect(
    await rows(
      `SELECT count(*)::int AS n FROM strandline.audit_log WHERE subject LIKE 'twice%' AND action LIKE '%.created'`,
    ),
  ).toEqual([{ n: 4 }]);
});

test('what was changed since the plan is not overwritten', async () => {
  const file = (prompt: string) => ({ name: 'edited', topics: topic('edited', prompt) });
  await apply(file('one'));
  const { fingerprint } = await plan(file('two'));
  await editSearch(ctx, 'edited-0', { prompt: 'of a person' });
  await expect(apply(file('two'), { fingerprint })).rejects.toMatchObject({ kind: 'changed' });
  expect(await rows(`SELECT prompt FROM strandline_analytics.searches WHERE slug = 'edited-0'`)).toEqual([
    { prompt: 'of a person' },
  ]);
});

test('nor what is changed while it is applied', async () => {
  await apply({ name: 'between', topics: topic('between', 'one') });
  let isEdited = false;
  // After the commit of the first step, before the second.
  const queue = {
    ...ctx.queue,
    enqueueRuns: async () => {
      if (!isEdited) await editSearch(ctx, 'between-0', { prompt: 'of a person' });
      isEdited = true;
    },
  };
  const searches = { 'between-new': search('new'), 'between-0': search('two') };
  const applied = await apply({ name: 'between', topics: { between: { searches } } }, {}, { ...ctx, queue });
  expect(brief(applied)).toEqual(['create search between-new']);
  expect(applied.failed).toMatchObject({ step: { key: 'between-0' }, status: 412, code: 'changed' });
  expect(await rows(`SELECT prompt FROM strandline_analytics.searches WHERE slug = 'between-0'`)).toEqual([
    { prompt: 'of a person' },
  ]);
});

test('what cannot be done is a problem of the plan, at its path', async () => {
  await apply({ topics: { ...topic('fixed', 'one'), ...topic('gone', 'one'), ...topic('former', 'one') } });
  await changeTopic(ctx, 'gone', 'remove');
  await renameTopic(ctx, 'former', { slug: 'renamed' });
  const problems = await problemsOf(
    plan({
      topics: {
        fixed: { searches: { 'fixed-0': search('one', { operation: 'ai' }) } },
        other: { searches: { 'fixed-0': search('one') } },
        gone: {},
        former: {},
      },
    }),
  );
  expect(problems.map(({ path, expected }) => `${path}: ${expected}`)).toEqual([
    expect.stringMatching(/^topics\.other\.searches\.fixed-0: another slug/),
    expect.stringMatching(/^topics\.gone: a free slug: the topic "gone" was removed/),
    expect.stringMatching(/^topics\.former: its current slug renamed/),
    expect.stringMatching(
      /^topics\.fixed\.searches\.fixed-0\.operation: microblog: a search keeps its operation/,
    ),
  ]);
});

test('a rule may keep a scope that is removed, and no other may need it', async () => {
  await apply({
    topics: topic('scope', 'one'),
    channels: { 'scope-ops': { webhook: 'http://127.0.0.1:1/scope' } },
  });
  await createRule(ctx, { slug: 'scoped', topic: 'scope', channels: ['scope-ops'] });
  await changeTopic(ctx, 'scope', 'remove');
  expect(await acting({ rules: { scoped: { topic: 'scope', channels: ['scope-ops'] } } })).toEqual([]);
  expect(
    await problemsOf(plan({ rules: { another: { topic: 'scope', channels: ['scope-ops'] } } })),
  ).toMatchObject([{ path: 'rules.another.topic', given: 'scope' }]);
});

test('secrets are compared and not shown; keep needs one', async () => {
  await createChannel(ctx, {
    slug: 'bot',
    telegram_chat: '-100123',
    telegram_token: '123456789:of-the-test-of-the-test-of-the-test',
  });
  const bot = (token: string) => ({ channels: { bot: { telegram_chat: '-100123', telegram_token: token } } });
  expect(await acting(bot('keep'))).toEqual([]);
  expect(await acting(bot('123456789:of-the-test-of-the-test-of-the-test'))).toEqual([]);
  const { steps } = await plan(bot('123456789:another-another-another-another-one'));
  expect(steps[0]?.changes).toEqual({ telegram_token: { before: '(hidden)', after: '(hidden)' } });
  expect(JSON.stringify(steps)).not.toContain('another-');
  const created = await plan({
    channels: {
      'bot-2': { telegram_chat: '-100123', telegram_token: '123456789:another-another-another-another-one' },
    },
  });
  expect(JSON.stringify(created)).not.toContain('another-');
  const invalid = await problemsOf(
    plan({
      channels: {
        bot: { telegram_chat: 'no chat', telegram_token: 'wrong-secret' },
        new: { telegram_chat: '-1', telegram_token: 'keep' },
      },
    }),
  );
  expect(JSON.stringify(invalid)).not.toContain('wrong-secret');
  expect(invalid.map(({ path }) => path)).toEqual([
    'channels.bot.telegram_chat',
    'channels.bot.telegram_token',
    'channels.new.telegram_token',
  ]);
});

const token = async (...scopes: Scope[]) =>
  (await createToken(ctx, { name: 'of the test', scopes }, OPERATOR)).key;

test('needs the scopes of what it changes', async () => {
  const [reader, writer, admin] = [await token('read'), await token('write', 'run'), await token('admin')];
  const send = async (path: string, bearer: string, body: unknown) => {
    const reply = await app.inject({
      method: 'POST',
      url: `/api/v1/${path}`,
      headers: { authorization: `Bearer ${bearer}` },
      payload: body as object,
    });
    return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
  };
  const plain = { file: { name: 'scopes', topics: topic('scopes', 'one') } };
  const channels = { file: { channels: { 'scopes-ops': { webhook: 'http://127.0.0.1:1/scopes' } } } };
  expect((await send('plan', reader, plain)).status).toBe(200);
  expect((await send('plan', reader, channels)).status).toBe(403);
  expect((await send('apply', reader, plain)).status).toBe(403);
  expect((await send('apply', writer, channels)).status).toBe(403);
  expect(await send('apply', writer, { ...plain, fingerprint: 'of another plan' })).toMatchObject({
    status: 412,
    body: { type: 'urn:strandline:problem:changed' },
  });
  expect((await send('apply', writer, plain)).body).toMatchObject({ failed: null, name: 'scopes' });
  expect((await send('apply', admin, channels)).body).toMatchObject({ failed: null });
  const wrong = await send('plan', reader, {
    file: { topics: { scopes: { searches: { 'scopes-0': { evry: '1h' } } } }, rule: {} },
  });
  expect(wrong).toMatchObject({
    status: 400,
    body: {
      errors: [
        { path: 'body.file.rule', expected: expect.stringContaining('did you mean rules?') },
        expect.anything(),
        expect.anything(),
        expect.anything(),
      ],
    },
  });
  const described = await app.inject({
    url: '/api/v1/describe?topic=scopes',
    headers: { authorization: `Bearer ${reader}` },
  });
  expect(described.json()).toEqual({
    file: { name: 'scopes', topics: topic('scopes', 'one') },
    left_out: [],
  });
});

test.each([
  { file: null },
  { file: [] },
  { file: 'text' },
  { file: 1 },
  { file: { topics: [] } },
  { file: { topics: { a: [] } } },
  { file: { topics: { a: { searches: { x: 1 } } } } },
  { file: { rules: { a: null } } },
  { file: { channels: { a: { webhook: { env: 'X' } } } } },
  { file: { name: 5 } },
  { file: JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') },
])('refuses what is no file: $file', async ({ file }) => {
  expect((await problemsOf(plan(file))).length).toBeGreaterThan(0);
});

test('names with a form or a domain in common are refused, each at its place', async () => {
  const names = [
    { name: 'Harbour Line', aliases: ['HL'], domains: ['harbour.example'] },
    { name: 'Island', aliases: ['hl'], domains: ['www.harbour.example'] },
    'harbour-line',
    { name: '+' },
    { name: 'Coast', rivals: true },
    7,
  ];
  expect(await problemsOf(plan({ topics: { listed: { names } } }))).toEqual([
    expect.objectContaining({ path: 'topics.listed.names[1].aliases[0]', given: 'hl' }),
    expect.objectContaining({ path: 'topics.listed.names[1].domains[0]', given: 'harbour.example' }),
    expect.objectContaining({ path: 'topics.listed.names[2].name', given: 'harbour-line' }),
    expect.objectContaining({ path: 'topics.listed.names[3]' }),
    expect.objectContaining({ path: 'topics.listed.names[5]', given: 7 }),
    expect.objectContaining({ path: 'topics.listed.names[4].rivals' }),
  ]);
});
