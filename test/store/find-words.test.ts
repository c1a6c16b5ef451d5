/** Which words find which items, whatever the archive stores for it: what people may rely on when they search. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/model/search-query.ts';
import type { ExcerptPiece } from '../../src/model/excerpt.ts';
import { findText, type TextHit } from '../../src/store/archive/find-text.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { searchArchive } from '../../src/store/archive/search-archive.ts';
import { makeWorld, type World } from '../world.ts';

type Item = { lang?: string; text: string; author?: string; hashtags?: string[] };

const POSTS: Record<string, Item> = {
  ferries: { lang: 'en', text: 'Two ferries crossed the bay' },
  ferry: { lang: 'en', text: 'The ferry was cancelled', author: 'harbour_watch' },
  ferryman: { lang: 'en', text: 'A ferryman rows' },
  // "universe" and "university" have the stem "univers".
  university: { lang: 'en', text: 'A university of the universe' },
  cities: { lang: 'en', text: "The cities' mayors don't agree" },
  fahre: { lang: 'de', text: 'Die Fähren fahren nachts nach Zürich' },
  strasse: { lang: 'de', text: 'Straßen und Häuser' },
  ecoles: { lang: 'fr', text: 'L’école et les écoles' },
  mayak: { lang: 'ru', text: 'В городе открыли новые маяки' },
  odos: { lang: 'el', text: 'Η ΟΔΟΣ είναι κλειστή' },
  tokyo: { lang: 'ja', text: '東京タワーの新しい灯台が完成しました' },
  kyoto: { lang: 'ja', text: '京都と大阪' },
  hangul: { lang: 'ko', text: '서울의 등대' },
  arabic: { lang: 'ar', text: 'المدارس الجديدة في القاهرة' },
  istanbul: { lang: 'tr', text: 'İstanbul ve ISPARTA' },
  fullwidth: { lang: 'ja', text: 'ＦＥＲＲＹ ﾌｪﾘｰ' },
  tagged: { lang: 'en', text: 'Waves at dusk', hashtags: ['NightFerry', 'Zürich'] },
  plain: { text: 'Zeppelins, „Luftschiffe”; naïve' },
  addresses: { lang: 'en', text: 'See https://news.example/a-b?x=1 and mail jane@post.example, C++ R&D 50%' },
  numbers: { lang: 'en', text: 'Route 66 at 12:30, version 4.2.0' },
  stems: { lang: 'en', text: 'Running runners ran' },
};
const LINKS = {
  timetable: {
    title: 'Ferry timetable',
    snippet: 'Night line from the pier',
    summary: 'Departures of lighthouses',
  },
  across: { title: 'The night', snippet: 'line of ferries', summary: '' },
};

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { pool } = world.db;
  const at = world.clock.now();
  const posts = Object.entries(POSTS).map(([name, { lang, text, author, hashtags }], n) => ({
    n: n + 1,
    name,
    lang: lang ?? null,
    text,
    author: author ?? `writer_${n}`,
    hashtags: hashtags ?? [],
  }));
  const from = `FROM json_to_recordset($1::json) AS r(n bigint, name text, lang text, text text, author text, hashtags text[])`;
  await pool.query(
    `WITH service AS (INSERT INTO strandline.services (name, kind, dialect, created_at) VALUES ('words', 'hosted', 'named', $2) RETURNING id),
       a AS (INSERT INTO strandline.authors (id, service_id, external_id, username, name, first_seen_at, observed_at)
         OVERRIDING SYSTEM VALUE SELECT n, service.id, name, author, 'Jane Doe', $2, $2 ${from}, service)
     INSERT INTO strandline.posts (id, service_id, author_id, external_id, text, lang, hashtags, mentions, urls, media, entities, first_seen_at, observed_at)
     OVERRIDING SYSTEM VALUE SELECT n, service.id, n, name, text, lang, hashtags, '{}', '{}', '[]', '{}', $2, $2 ${from}, service`,
    [JSON.stringify(posts), at],
  );
  for (const [name, { title, snippet, summary }] of Object.entries(LINKS))
    await pool.query(
      `INSERT INTO strandline.links (canonical, url, site, title, snippet, summary_description, first_seen_at, observed_at)
       VALUES ($1, $1, 'pages.example', $2, $3, $4, $5, $5)`,
      [`https://pages.example/${name}`, title, snippet, summary, at],
    );
  await pool.query(
    `INSERT INTO strandline.archive_changes (kind, thing)
     SELECT 'post', id FROM strandline.posts UNION ALL SELECT 'link', id FROM strandline.links`,
  );
  while (!(await fillArchive(world.db, { batches: 10 })));
});
afterAll(() => world.close());

const nameOf = ({ post, link }: { post?: { external_id: string } | null; link?: { url: string } | null }) =>
  post?.external_id ?? link?.url.split('/').at(-1) ?? '';

async function find(text: string): Promise<TextHit[]> {
  const { hits, total } = await findText(world.db, {
    query: parseQuery(text),
    now: world.clock.now(),
    limit: 50,
  });
  expect(total).toBe(hits.length);
  return hits;
}

describe('find', () => {
  test.each<[what: string, query: string, names: string[]]>([
    ['a singular finds plurals', 'ferry', ['ferry', 'ferries', 'timetable', 'across', 'fullwidth']],
    ['a plural finds singulars', 'ferries', ['ferry', 'ferries', 'timetable', 'across']],
    ['in quotes, only as written', '"ferries"', ['ferries', 'across']],
    ['not what begins alike', 'ferryma', []],
    ['an English form of another word with the same stem', 'universes', ['university']],
    ['a stem is not a word as written', '"univers"', []],
    ['not a stem as written', 'univers', []],
    ['inflections of verbs', 'run', ['stems']],
    ['a possessive is two words', "city's", []],
    ['a contraction is a phrase', "don't", ['cities']],
    ['an apostrophe of another kind too', 'don’t', ['cities']],
    ['German plurals', 'Fähre', ['fahre']],
    ['without accents, as written', 'fahren zurich', ['fahre']],
    ['accents and case do not matter in quotes', '"ZURICH"', ['fahre', 'tagged']],
    ['sharp s', 'strassen', ['strasse']],
    ['a German singular with sharp s', 'Straße', ['strasse']],
    ['French with elision', 'école', ['ecoles']],
    ['French in quotes', '"l’ecole"', ['ecoles']],
    ['Russian inflections', 'маяк', ['mayak']],
    ['Russian in capitals', 'МАЯКИ', ['mayak']],
    ['a final sigma', 'οδός', ['odos']],
    ['Japanese within a sentence', '灯台', ['tokyo']],
    ['Japanese in a row', '東京タワー', ['tokyo']],
    ['two characters that are not in a row', '東都', []],
    ['one Japanese character', '京', ['tokyo', 'kyoto']],
    ['a Japanese phrase', '"東京"', ['tokyo']],
    ['Korean with its particle', '서울의', ['hangul']],
    ['Arabic', 'المدارس', ['arabic']],
    ['a dotted capital i', 'istanbul', ['istanbul']],
    ['full width', '"ferry"', ['ferry', 'timetable', 'fullwidth']],
    ['a hashtag', '#nightferry', ['tagged']],
    ['a hashtag with an accent', 'hashtag:Zürich', ['tagged']],
    ['not a part of a hashtag', '#night', []],
    ['the word of a hashtag', 'nightferry', ['tagged']],
    ['an author', 'author:harbour_watch', ['ferry']],
    ['the words of an author, as written', 'harbour', ['ferry']],
    ['not other forms of an author', 'harbours', []],
    ['a site', 'site pages.example', []],
    ['a site as a phrase', 'pages.example', ['timetable', 'across']],
    ['an address', 'https://news.example/a-b', ['addresses']],
    ['a mail address', 'jane@post.example', ['addresses']],
    ['signs between letters', 'R&D', ['addresses']],
    ['typographic quotation marks', 'luftschiffe', ['plain']],
    ['English stems where no language is stated', 'zeppelin', ['plain']],
    ['numbers', '66', ['numbers']],
    ['a time', '12:30', ['numbers']],
    ['not a part of a version', '"4.0"', []],
    ['a phrase', '"night line"', ['timetable']],
    ['not across title and text', '"night line of"', []],
    ['a phrase with stop words', '"from the pier"', ['timetable']],
    ['a stop word', 'the -ferry -ferries', ['university', 'cities']],
    ['several words in any order', 'bay ferry', ['ferries']],
    ['excluded', 'ferry -cancel', ['ferries', 'timetable', 'across', 'fullwidth']],
    ['an excluded phrase', 'ferry -"night line" -cancelled', ['ferries', 'across', 'fullwidth']],
    ['one of two', 'маяк OR 灯台', ['mayak', 'tokyo']],
    ['a summary, in any form', 'lighthouse', ['timetable']],
    ['not a summary in quotes', '"lighthouses"', []],
    ['all words of a text of two languages', 'Luftschiffe naive', ['plain']],
  ])('%s: %s', async (_what, query, names) => {
    expect((await find(query)).map(nameOf).toSorted()).toEqual(names.toSorted());
  });

  test('the words as written rank above other forms, more often above less, in short texts above long', async () => {
    expect((await find('ferry')).map(nameOf).indexOf('ferry')).toBeLessThan(
      (await find('ferry')).map(nameOf).indexOf('ferries'),
    );
    expect((await find('ferries'))[0]?.score).toBeGreaterThan((await find('ferries')).at(-1)?.score ?? 0);
    expect((await find('lang:en')).every(({ score }) => score === 0)).toBe(true);
  });

  test.each<[query: string, name: string, marked: string[]]>([
    ['ferry', 'ferries', ['ferries']],
    ['"ferry"', 'ferry', ['ferry']],
    ['running', 'stems', ['Running']],
    ['fähre', 'fahre', ['Fähren', 'fahren']],
    ['"fahren"', 'fahre', ['Fähren', 'fahren']],
    ['zurich', 'fahre', ['Zürich']],
    ['маяк', 'mayak', ['маяки']],
    ['école', 'ecoles', ['école', 'écoles']],
    ['灯台', 'tokyo', ['い灯台が']],
    ['ferry -late', 'timetable', ['Ferry']],
    ['"from the pier"', 'timetable', ['from', 'the', 'pier']],
    ['lang:en ferry', 'ferry', ['ferry']],
  ])('%s marks its words in %s', async (query, name, marked) => {
    const hit = (await find(query)).find((one) => nameOf(one) === name);
    const pieces: ExcerptPiece[] = [...(hit?.title ?? []), ...(hit?.excerpt ?? [])];
    expect(pieces.filter(({ match }) => match).map(({ text }) => text)).toEqual(marked);
  });
});

describe('a prompt of the service', () => {
  test.each<[what: string, prompt: string, best: string, others: string[]]>([
    [
      'any word, rare ones first',
      'are ferries crossing the bay tonight',
      'ferries',
      ['ferry', 'timetable', 'across'],
    ],
    ['inflections', 'new lighthouse', 'timetable', []],
    ['Russian', 'маяк в городе', 'mayak', []],
    ['Japanese', '東京 灯台', 'tokyo', []],
    ['stop words alone match what has them', 'the and of', '', []],
  ])('%s: %s', async (_what, text, best, others) => {
    const names = (await searchArchive(world.db, { text, limit: 50 })).map((hit) =>
      nameOf(hit.kind === 'post' ? { post: hit.post } : { link: hit.link }),
    );
    expect(names[0] ?? '').toBe(best);
    expect(names.slice(1).toSorted()).toEqual(others.toSorted());
  });
});
