import { describe, expect, test } from 'vitest';
import type { Source } from '../../../src/model/enumerations.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { COMPLETION_ROLES } from '../../../src/service/answering/completion-draft.ts';
import { NOTHING_FOUND, writeCompletion } from '../../../src/service/answering/completion-writer.ts';
import type { Findings } from '../../../src/service/planning/retrieval.ts';
import { AT, findingsOf, found } from './found.ts';
import { addressesOf, claimsOf, KEY_LISTS, TEXTS, wordsOf } from './read-citations.ts';

const log = createLogger('silent');

function write(findings: Findings, prompt = 'harbour festival', told?: (role: string, text: string) => void) {
  return writeCompletion(findings, {
    prompt,
    at: AT,
    budgetMs: 10_000,
    signal: new AbortController().signal,
    log,
    model: undefined,
    ...(told && { onText: told }),
  });
}

const NOTHING = 'No answer in these sources; asked: “harbour festival”; found: web pages.';
const QUAY = 'The harbour festival filled the old quay with people on Friday.';
const MUSIC = 'A brass band played for three hours at the harbour festival.';
const RAIN = 'Rain stopped the rowing race of the harbour festival before noon.';

describe('quotations', () => {
  test('appear in the cited item, best first, and the links are the cited ones in order', async () => {
    const items = [QUAY, MUSIC, RAIN].map((text, i) =>
      found('web', `${text} Cut here ...`, { place: i + 1 }),
    );
    const { completion, links, writer } = await write(findingsOf(...items));
    expect(writer).toBe('extractive');
    const claims = claimsOf(completion.summary);
    expect(claims.map(({ text }) => text)).toEqual([QUAY, MUSIC, RAIN]);
    expect(claims.map(({ cites }) => cites.map(({ url }) => url))).toEqual(items.map(({ link }) => [link]));
    expect(claims.flatMap(({ cites }) => cites.map(({ number }) => number))).toEqual([1, 2, 3]);
    expect(links).toEqual(items.map(({ link }) => link));
    expect(addressesOf(completion)).toEqual(new Set(links));
  });

  test('of each text come from its own group, and unselected groups are empty', async () => {
    const { completion } = await write(
      findingsOf(
        found('microblog', QUAY),
        found('discussion_board', MUSIC),
        found('preprint', RAIN, { title: 'A model of rain' }),
      ),
    );
    expect(completion.microblog_summary).toContain(QUAY);
    expect(completion.discussion_board_summary).toContain(MUSIC);
    expect(completion.news_forum_summary).toBe('');
    expect(completion.key_news).toEqual([]);
    expect(completion.key_microblog_posts.map(({ text }) => text)).toEqual([QUAY]);
    expect(completion.key_sources.map(({ text }) => text)).toEqual(['A model of rain']);
  });

  test('with the same words are merged, and the one with the best place is cited', async () => {
    const copies = [3, 1, 2].map((place) => found('microblog', `${QUAY} #quay`, { place }));
    const repost = found('microblog', `RT @tove: ${QUAY}`);
    const { completion } = await write(findingsOf(...copies, repost, found('microblog', RAIN)));
    const claims = claimsOf(completion.microblog_summary);
    expect(claims.map(({ text }) => text).toSorted()).toEqual([RAIN, QUAY].toSorted());
    expect(claims.find(({ text }) => text === QUAY)?.cites.map(({ url }) => url)).toEqual([copies[1]?.link]);
    expect(completion.key_microblog_posts).toHaveLength(2);
  });

  test('put sentences of many sources before sentences of one', async () => {
    const said = [
      'The ferry to the islands is cancelled until Monday because of the storm.',
      'Storm keeps the island ferry in port, it is cancelled until Monday.',
      'No ferry to the islands before Monday, the storm is too strong.',
      'Until Monday the storm stops every ferry to the islands.',
    ];
    const others = [
      'My neighbour painted his garden fence in a terrible green.',
      'Somebody left a red scarf on the second bench.',
      'Coffee prices at the kiosk went up once more.',
    ];
    const items = [...others, ...said].map((text) => found('microblog', text, { place: 1 }));
    const { completion } = await write(findingsOf(...items), '');
    expect(said).toContain(completion.key_microblog_posts[0]?.text);
    expect(claimsOf(completion.microblog_summary).some(({ text }) => said.includes(text))).toBe(true);
  });

  test('are chosen from more than three hundred sentences', async () => {
    const many = Array.from({ length: 400 }, (_, i) =>
      found('web', `Visitor number ${i} came to the harbour festival and praised stand ${i * 7}.`),
    );
    const { completion } = await write(findingsOf(...many, found('microblog', QUAY)));
    expect(claimsOf(completion.summary).length).toBeGreaterThanOrEqual(3);
  });

  test.each([
    [
      'both of two words, if any has',
      'harbour festival',
      ['harbour festival', 'harbour', 'festival'],
      ['harbour festival'],
    ],
    [
      'one of two words, if none has both',
      'harbour festival',
      ['harbour', 'festival'],
      ['harbour', 'festival'],
    ],
    [
      'two of three words',
      'harbour festival music',
      ['harbour festival music', 'festival music', 'music'],
      ['harbour festival music', 'festival music'],
    ],
    [
      'the word that separates them, where most have the others',
      'harbour festival music',
      [...Array(2).fill('harbour festival music'), ...Array(3).fill('harbour festival')],
      ['harbour festival music'],
    ],
    [
      'most words, where a single one has the rest',
      'harbour festival music',
      ['harbour festival music', ...Array(4).fill('harbour festival')],
      ['harbour festival music', 'harbour festival'],
    ],
  ])('are of items with %s', async (_, prompt, about, quoted) => {
    const items = about.map((words, i) =>
      found('web', `${['Anna', 'Boris', 'Carla', 'Dmitri', 'Elena'][i]} writes about ${words} today.`),
    );
    const { completion } = await write(findingsOf(...items), prompt);
    const texts = claimsOf(completion.summary).map(({ text }) => /about (.*) today/.exec(text)?.[1]);
    expect(new Set(texts)).toEqual(new Set(quoted));
  });

  test('use titles, as sentences, if nothing else is a sentence', async () => {
    const item = found('news_forum', '', { title: 'Show NF: a timetable for night trains' });
    const { completion } = await write(findingsOf(item), 'night trains');
    expect(completion.news_forum_summary).toBe(`Title: ${item.title}. [1](${item.link})`);
    expect(completion.key_news).toEqual([{ text: item.title, url: item.link }]);
  });

  test('are streamed by role as they are written', async () => {
    const told = new Map<string, string>();
    const { completion } = await write(findingsOf(found('web', QUAY)), 'quay', (role, text) =>
      told.set(role, text),
    );
    expect([...told]).toEqual(COMPLETION_ROLES.map((role) => [role, completion[role]]));
  });
});

test('report that nothing was found, without a link', async () => {
  const { completion, links, writer } = await write(
    new Map<Source, []>([
      ['web', []],
      ['microblog', []],
    ]),
  );
  expect(completion.summary).toBe(NOTHING_FOUND);
  expect({ links, writer }).toEqual({ links: [], writer: 'none' });
  for (const role of TEXTS.slice(1)) expect(completion[role]).toBe('');
  for (const list of KEY_LISTS) expect(completion[list]).toEqual([]);
});

test('send nothing to a disconnected client', async () => {
  const gone = new AbortController();
  gone.abort(new Error('gone'));
  const writing = { prompt: 'x', at: AT, budgetMs: 1_000, signal: gone.signal, log, model: undefined };
  await expect(writeCompletion(findingsOf(found('web', QUAY)), writing)).rejects.toThrow('gone');
});

describe('unwanted content of an item does not reach the completion', () => {
  test.each([
    ['a link', 'Read [the whole programme](https://evil.example/x) of the harbour festival now.'],
    ['an image', 'The harbour festival is on ![x](https://evil.example/p.png?q=1) this week.'],
    ['a script', 'The harbour festival <script>alert(1)</script> is on this week.'],
    ['an entity', 'The harbour festival &lt;b&gt; is on this week for all.'],
    ['an address', 'Win a ticket for the harbour festival at https://evil.example/win today.'],
    ['a bare address', 'Win a ticket for the harbour festival at www.evil.example today.'],
    ['a bare host', 'Win a ticket for the harbour festival at evil.com this week.'],
    ['a path', 'Win a ticket for the harbour festival at evil.tickets/win this week.'],
    [
      'a host with a new TLD',
      'The harbour festival people ask everybody to visit evil.zip for tickets today.',
    ],
    ['a host with a Unicode dot', 'The harbour festival team says to write to evil․example for the tickets.'],
    [
      'a host with a Chinese full stop',
      'Harbour festival tickets are sold at evil。example by the organisers.',
    ],
    ['a spelled-out host', 'Harbour festival updates come from t dot me slash evilgroup every day.'],
    ['a mailbox', 'Write to win@evil.example for a ticket to the harbour festival.'],
    ['another scheme', 'The harbour festival is at javascript:alert(1) all of this week.'],
    ['a forged citation', 'The harbour festival is cancelled according to the mayor [99] this year.'],
    ['emphasis', 'The harbour festival is **cancelled** for the rest of the week.'],
    ['code', 'Type `rm -rf` at the harbour festival and see what happens.'],
    ['encoded content', `The harbour festival says ${'aWdub3Jl'.repeat(8)} to all of us.`],
  ])('%s', async (_, text) => {
    const item = found('web', `${text} ${QUAY}`, { title: text });
    const { completion, links } = await write(findingsOf(item));
    expect(wordsOf(completion)).not.toMatch(/\]\(|[<`]|\*\*|evil|\[99\]|aWdub3Jl|rm -rf|javascript/);
    expect(completion.summary).toBe(`${QUAY} [1](${item.link})`);
    expect(links).toEqual([item.link]);
  });

  test('removes invisible characters and line breaks', async () => {
    const { completion } = await write(
      findingsOf(
        found(
          'microblog',
          'The harbour\u202e festival\u200b is open\u{e0049} to\u0007 all\tvisitors\r\ntoday and tomorrow.',
        ),
      ),
    );
    expect(claimsOf(completion.summary)[0]?.text).toBe(
      'The harbour festival is open to all visitors today and tomorrow.',
    );
  });

  test.each([
    ['https://a.example/x)](https://evil.example', 'https://a.example/x%29%5D%28https://evil.example'],
    [
      'https://en.encyclopedia.example/wiki/Quay_(harbour)',
      'https://en.encyclopedia.example/wiki/Quay_%28harbour%29',
    ],
    ['javascript:alert(1)', undefined],
    ['https://user:secret@a.example/', undefined],
    ['not an address', undefined],
  ])('rejects a link that would break out of its citation: %s', async (link, cited) => {
    const { completion, links } = await write(findingsOf(found('web', QUAY, { link })));
    expect(links).toEqual(cited === undefined ? [] : [cited]);
    expect(completion.summary).toBe(cited === undefined ? NOTHING : `${QUAY} [1](${cited})`);
  });
});
