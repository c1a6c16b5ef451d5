/** Expensive requests: each is a line here, and is sent by the test next to this file. */
import { gzipSync } from 'node:zlib';
import { pagesOn } from '../../../bench/pages/addresses.ts';
import { slugOf, topicOf } from '../../../bench/questions/fill.ts';
import { DAY } from '../../../src/lib/time.ts';
import { MAX_STATEMENTS } from '../../../src/store/reader/ask-reader.ts';
import type { Database, Id } from '../../../src/store/db/database.ts';
import { type Document, exampleOf } from '../api/operations.ts';

export type Hostile = {
  what: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'HEAD' | 'OPTIONS';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** Nobody takes what is answered. */
  stalls?: true;
  /** So many requests behind each other, without waiting for an answer. */
  pipelined?: number;
};

/** Statements of visitors: what would end a process that reads it, and what takes much of Postgres. */
const SQL: readonly (readonly [what: string, statement: string])[] = [
  [
    'json of 288 million members',
    `select ('['||repeat('{},',4000000)||'1]')::json from generate_series(1,24)`,
  ],
  ['rows of just below 4 MB', `select repeat('x',3900) from generate_series(1,1000)`],
  ['columns of just below 4 MB', `select ${'null,'.repeat(1_599)}null from generate_series(1,600)`],
  ['json that grows when it is rendered', `select repeat(E'\\u0001',600) from generate_series(1,1000)`],
  [
    'the plan of a large join',
    'explain select * from posts a cross join posts b cross join links c cross join runs d cross join post_sightings e',
  ],
  [
    'a sort that needs the disk',
    'select a.text from posts a cross join (select text from posts limit 100) b order by md5(a.text || b.text)',
  ],
];

type Headers = NonNullable<Hostile['headers']>;
const JSON_TYPE: Headers = { 'content-type': 'application/json' };
const FORM_TYPE: Headers = { 'content-type': 'application/x-www-form-urlencoded' };
const members = (n: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: n }, (_, i) => [`m${i}`, 0])));
const daysAgo = (n: number) => new Date(Date.now() - n * DAY).toISOString();
const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(' ');

/**
 * @param document of the API: its lists are asked for as many items as they give
 * @param formToken with which forms are read
 */
export async function hostileRequests(
  db: Database,
  document: Document,
  formToken: string,
): Promise<Hostile[]> {
  const posts = (what: string, url: string, body: string | Buffer, headers = JSON_TYPE): Hostile => ({
    what,
    method: 'POST',
    url,
    body,
    headers,
  });
  const form = (what: string, url: string, body: string) =>
    posts(what, url, `${body}&form_token=${formToken}`, FORM_TYPE);
  const gets = (what: string, url: string, headers: Headers = {}): Hostile => ({
    what,
    url,
    headers,
  });
  const topics = Array.from({ length: 10 }, (_, n) => topicOf(n + 1));
  const plan = (cron: string) =>
    posts(
      `a schedule of ${cron}`,
      '/api/v1/searches/preview',
      JSON.stringify({ operation: 'microblog', count: 100, cron, tz: 'Pacific/Apia' }),
    );
  const statements = [
    // It takes long wherever it is asked, so it is asked once.
    posts('a statement that sleeps', '/api/v1/sql', JSON.stringify({ sql: 'select pg_sleep(3)' })),
    ...SQL.flatMap(([what, sql]) => [
      posts(`${what}, by SQL`, '/api/v1/sql', JSON.stringify({ sql })),
      form(`${what}, by SQL on the page`, '/explore/sql', `sql=${encodeURIComponent(sql)}`),
    ]),
  ];
  // As many as may run at a time, and the others when those have ended.
  const [early, late] = [statements.slice(0, MAX_STATEMENTS), statements.slice(MAX_STATEMENTS)];
  const long = words(200).slice(0, 1_000);
  return [
    posts('a body of 60 levels', '/api/v1/topics', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
    posts('a body of a megabyte of brackets', '/api/v1/topics', '['.repeat(990_000)),
    posts('a body of 1,990 members', '/api/v1/topics', members(1_990)),
    posts('a body of 80,000 members', '/api/v1/topics', members(80_000)),
    posts('1,990 wrong things in a list', '/api/v1/rules', `{"on":[${'1,'.repeat(1_989)}1]}`),
    posts('a long value', '/api/v1/topics', `{"slug":"${'n'.repeat(900_000)}"}`),
    posts('a value of escapes', '/api/v1/topics', `{"name":"${String.raw`\u00e9`.repeat(160_000)}"}`),
    posts('a packed body', '/api/v1/topics', gzipSync(Buffer.alloc(50_000_000)), {
      ...JSON_TYPE,
      'content-encoding': 'gzip',
    }),
    posts(
      'a trial of a long prompt',
      '/api/v1/searches/try',
      JSON.stringify({ prompt: 'a'.repeat(900_000) }),
    ),
    ...['0 0 29 2 *', '59 23 31 12 6', '* * * * *', '0 0 30 2 *', `${words(1).length}-59/1 * * * *`].map(
      plan,
    ),
    plan(
      Array.from({ length: 60 }, (_, n) => n)
        .join(',')
        .concat(' * * * *'),
    ),
    posts(
      'a trial',
      '/api/v1/searches/try',
      JSON.stringify({ operation: 'microblog', prompt: 'ferry', service: 'hosted', shown: 200 }),
    ),
    form('a form of 49,000 members', '/new', 'a&'.repeat(49_000)),
    form('a form with a long text', '/new', `text=${'%C3%A9'.repeat(16_000)}`),
    form('a sign-in', '/sign-in', `token=st_aaaaaaaa${'b'.repeat(43)}`),
    form('a sign-in by 99 kB', '/sign-in', `token=${'b'.repeat(99_000)}`),
    ...early,
    gets('a query of 15 kB', `/api/v1/posts?${'a=1&'.repeat(3_700)}`),
    gets('a query of 15 kB for a page', `/runs?${'status=failed&'.repeat(1_000)}`),
    gets('a forecast of a long text', `/new/forecast?text=${'a+'.repeat(7_000)}`),
    gets('cookies of 15 kB', '/', { cookie: 'a=1; '.repeat(3_000) }),
    gets('one cookie of 15 kB', '/', { cookie: `strandline=${'%25'.repeat(5_000)}` }),
    gets('a wrong token', '/api/v1/topics', { authorization: `Bearer st_aaaaaaaa${'b'.repeat(43)}` }),
    gets('a token of 15 kB', '/api/v1/topics', { authorization: `Bearer ${'st_'.repeat(5_000)}` }),
    gets('a cursor of 14 kB', `/api/v1/posts?cursor=${'W1tb'.repeat(3_500)}`),
    gets('1,000 characters of words', `/api/v1/find?limit=100&text=${encodeURIComponent(long)}`),
    gets(
      'words of one letter',
      `/api/v1/find?limit=100&text=${encodeURIComponent('a b c d e f '.repeat(80))}`,
    ),
    gets('a word of 1,000 letters', `/api/v1/find?limit=100&text=${'a'.repeat(1_000)}`),
    gets('brackets as words', `/api/v1/find?limit=100&text=${encodeURIComponent('a(*+?:!&|'.repeat(110))}`),
    gets('all that was found', '/api/v1/find?limit=100&text=words+of+a+post+answer+page'),
    gets('all that was found, as a page', '/explore?q=words+of+a+post+answer+page'),
    gets(
      'posts by words',
      `/api/v1/posts?limit=200&text=${encodeURIComponent('post -page "of a" or words '.repeat(30)).slice(0, 900)}`,
    ),
    gets('volume in quarters', `/api/v1/trends/volume?topic=${topicOf(2)}&per=quarter&since=${daysAgo(6)}`),
    gets('volume in hours', `/api/v1/trends/volume?topic=${topicOf(2)}&per=hour&since=${daysAgo(80)}`),
    gets('trends in hours', `/api/v1/trends?topic=${topicOf(2)}&days=83&bucket_hours=1`),
    gets('trends of all in more hours than there may be', '/api/v1/trends?days=366&bucket_hours=1'),
    gets('ten topics side by side', `/compare?range=90d&topics=${topics.join(',')}`),
    gets('a topic of 90 days', `/topics/${topicOf(2)}?range=90d`),
    gets('the document', '/openapi.json', { 'accept-encoding': 'br' }),
    gets('the document, packed', '/openapi.json', { 'accept-encoding': 'gzip' }),
    gets('the documentation', '/docs', { 'accept-encoding': 'br' }),
    gets('figures', '/metrics'),
    { what: 'the head of the documentation', method: 'HEAD', url: '/docs' },
    { what: 'options of a list', method: 'OPTIONS', url: '/api/v1/posts' },
    { what: 'a hundred requests in one piece', url: '/api/v1/topics?limit=200', pipelined: 100 },
    { what: 'a hundred requests of nothing', url: '/nothing', pipelined: 100 },
    { what: 'events from the beginning', url: '/api/v1/events?after=0', stalls: true },
    ...exportsOf(document),
    ...(await listsOf(db, document)),
    ...(await pagesOn(db)).flatMap(({ page, addresses: [url = '/'] }) => gets(`the page ${page}`, url)),
    ...late,
  ];
}

function exportsOf(document: Document): Hostile[] {
  const parameters = document.paths['/api/v1/exports/{kind}']?.['get']?.parameters ?? [];
  const valuesOf = (name: string) =>
    (parameters.find((one) => one.name === name)?.schema?.['enum'] ?? []) as string[]; // an enumeration of texts
  const formats = valuesOf('format');
  // The formats in turn: what a kind holds is read in the same way for each, and each writes the same kinds of columns.
  return valuesOf('kind').map((kind, n): Hostile => {
    const format = formats[n % formats.length];
    const url = `/api/v1/exports/${kind}?format=${format}`;
    return { what: `an export that nobody reads: ${kind} as ${format}`, url, stalls: true };
  });
}

/** Every read of the API, with as much as it gives. */
async function listsOf(db: Database, { paths }: Document): Promise<Hostile[]> {
  const id = async (table: string) => {
    const { rows } = await db.pool.query<{ id: Id }>(
      `SELECT id FROM strandline.${table} ORDER BY id LIMIT 1`,
    );
    return String(rows[0]?.id ?? 1);
  };
  const ids = {
    posts: await id('posts'),
    links: await id('links'),
    authors: await id('authors'),
    completions: await id('completions'),
    runs: await id('runs'),
  };
  const known = new Map([
    ['topic', topicOf(2)],
    ['topics', topicOf(2)],
    ['search', slugOf('microblog', 1)],
  ]);
  const without = new Set(['/api/v1/events', '/api/v1/exports/{kind}', '/api/v1/find']);
  return Object.entries(paths).flatMap(([path, { get }]): Hostile[] => {
    if (get === undefined || without.has(path)) return [];
    const [, , , thing = ''] = path.split('/');
    const url = path
      .replace(
        /\{[^}]*\}/,
        () =>
          thing === 'topics'
            ? topicOf(2)
            : thing === 'searches'
              ? slugOf(path.includes('completion') || path.includes('claims') ? 'ai' : 'microblog', 1)
              : (ids[thing as keyof typeof ids] ?? '1'), // a thing without an id of ours is asked for by 1
      )
      .replaceAll(/\{[^}]*\}/g, '1');
    const query = new URLSearchParams();
    for (const parameter of get.parameters ?? []) {
      const { name, required, schema } = parameter;
      if (name === 'limit')
        query.set('limit', typeof schema?.['maximum'] === 'number' ? String(schema['maximum']) : '200');
      else if (required && parameter.in === 'query')
        query.set(name, known.get(name) ?? JSON.stringify(exampleOf(parameter)).replaceAll('"', ''));
    }
    return [{ what: `all of ${path}`, url: `${url}?${query}`, headers: { 'accept-encoding': 'gzip' } }];
  });
}
