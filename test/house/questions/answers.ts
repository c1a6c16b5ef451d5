/** What the service of the history says: posts that grow as they age, and completions that change. Nothing is random. */
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { type StubRequest, wirePost } from '../../stub-service.ts';

/** When an answer is cut at its limit, and when far more is written than usual: in days after the first. */
export const CUT_DAY = 9;
export const SPIKE_DAY = 10;

/** Between two posts of a subject. */
const EVERY_MS = 90 * MINUTE;
/** How far back an answer reaches, and the first one to a request. */
const WINDOW_MS = 12 * HOUR;
const FIRST_WINDOW_MS = 60 * HOUR;
const BURST = 60;
const LANGUAGES = ['en', 'en', 'de', 'ja'];
const HASHTAGS = ['rail', 'sleeper', 'rail', 'europe'];
const AUTHORS = ['ada', 'ben', 'cleo', 'dora', 'emil'];

type Times = { now: () => number; dayAt: (n: number) => Date };

/** @param before prompts whose first answer was given before */
export function answerer(
  { now, dayAt }: Times,
  before: readonly unknown[],
): (request: StubRequest) => Record<string, unknown> {
  const asked = new Set(before);
  return ({ path, body }) => {
    if (!path.includes('twitter')) return aiAnswer(body['prompt'], now(), dayAt);
    const first = !asked.has(body['prompt']);
    asked.add(body['prompt']);
    const subject = body['prompt'] === 'buses' ? 2 : 1;
    return { miner_tweets: postsOf(subject, now(), first ? FIRST_WINDOW_MS : WINDOW_MS, dayAt) };
  };
}

function postsOf(
  subject: number,
  now: number,
  windowMs: number,
  dayAt: Times['dayAt'],
): Record<string, unknown>[] {
  // Only the newest: an answer that holds none of the one before it, and more than any was, is cut.
  const cutAt = dayAt(CUT_DAY).getTime() + 12 * HOUR;
  if (subject === 2 && now === cutAt) return burst(subject, cutAt - HOUR, now);
  const usual: Record<string, unknown>[] = [];
  for (let k = Math.ceil((now - windowMs) / EVERY_MS); k * EVERY_MS <= now; k += 1)
    usual.push(post(subject, k, k * EVERY_MS, now));
  const spikeAt = dayAt(SPIKE_DAY).getTime() + 9 * HOUR;
  return subject === 1 && now > spikeAt && now - windowMs < spikeAt
    ? [...burst(subject, spikeAt, now), ...usual]
    : usual;
}

/** Posts of one hour. */
function burst(subject: number, from: number, now: number): Record<string, unknown>[] {
  return Array.from({ length: BURST }, (_, i) => post(subject, 9_000_000 + i, from + i * MINUTE, now));
}

function post(subject: number, k: number, createdAt: number, now: number): Record<string, unknown> {
  const id = `${subject}${k}`;
  const hours = (now - createdAt) / HOUR;
  const likes = Math.round((1 + (k % 7)) * 12 * (1 - Math.exp(-hours / 8)));
  const created_at = new Date(createdAt).toISOString();
  return wirePost(id, {
    user: { id: `9${k % 5}`, username: AUTHORS[k % 5], name: AUTHORS[k % 5] },
    text: `post ${k} of ${subject}`,
    created_at,
    like_count: likes,
    retweet_count: Math.floor(likes / 5),
    lang: LANGUAGES[k % 4],
    entities: {
      hashtags: [{ text: HASHTAGS[k % 4] }],
      urls: [{ expanded_url: `https://site-${k % 3}.example/${k}` }],
    },
    ...(k % 6 === 0
      ? {
          is_retweet: true,
          retweet: wirePost(`${subject}8${k}`, {
            user: { id: '99', username: 'the-railway', name: 'The railway' },
            created_at,
          }),
        }
      : {}),
  });
}

const TIMETABLE = 'https://rail.example/timetable';
const BRIDGE = 'https://news.example/bridge';
const RUMOUR = 'https://rumour.example/tickets';

/** A bridge is closed three days before the last one; boards hear of it half a day later. */
function aiAnswer(prompt: unknown, now: number, dayAt: Times['dayAt']): Record<string, unknown> {
  const boards = prompt === 'night trains on boards';
  const closed = now >= dayAt(8).getTime() + (boards ? 12 * HOUR : 0);
  const result = (link: string) => ({ title: `about ${link.slice(8)}`, link, snippet: '' });
  const day = new Date(now).toISOString().slice(0, 10);
  const found = [result(TIMETABLE), result(`https://news.example/${day}`)];
  const bridge = closed ? [result(BRIDGE)] : [];
  return {
    search: boards ? found : [...found, ...bridge],
    hacker_news_search: boards ? bridge : [],
    tweets: [],
    completion:
      `Night trains run daily [1](${TIMETABLE}). Tickets will be dearer [2](${RUMOUR}).` +
      (closed ? ` The bridge is closed [3](${BRIDGE}).` : ''),
  };
}
