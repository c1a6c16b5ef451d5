/**
 * The search service under load, its client in this process and itself in another, on the same cores:
 * answers per second from the sandbox, what the service adds to its slowest source, and what a source that
 * never answers costs. Run: npm run -s bench:service [seconds for each load]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { TOOLS } from '../src/model/enumerations.ts';
import { MODEL_TIERS } from '../src/service/planning/model-tiers.ts';
import { aligned } from './report.ts';
import { type Call, load, percentile } from './service/load.ts';

/** Answers of a typical operation A that two cores give in a second; milliseconds that the service may add. */
const TARGETS = { perSecond: 200, overheadP95Ms: 50, beyondBudgetMs: 150, sliceMs: 50 };
/** Of the stub of each tool below `/live`; the one for video never answers. */
const SLOWEST_MS = 100;

const forMs = Number(process.argv[2] ?? 5) * 1_000;
const child = fork(new URL('service/server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
const [url] = (await once(child, 'message')) as [string]; // what the server sends first

const prompts = ['tidal power', 'harbour festival', 'lunar lander', 'cargo bikes', 'never heard of this one'];
const A = (tools: readonly string[], more: object = {}): Call[] =>
  prompts.map((prompt) => ({
    path: '/sandbox/search/ai/search',
    body: { prompt, tools, date_filter: 'PAST_WEEK', streaming: false, ...more },
  }));
const two = ['Discussion Board Search', 'News Forum Search'];
const cases: [name: string, calls: Call[]][] = [
  ['A, 2 tools', A(two)],
  ['A, 2 tools, streamed', A(two, { streaming: true })],
  ['A, 7 tools', A(TOOLS)],
  ['A, 7 tools, HORIZON', A(TOOLS, { model: 'HORIZON', date_filter: 'PAST_2_YEARS' })],
  ['B', prompts.map((prompt) => ({ path: '/sandbox/search/ai/search/links/microblog', body: { prompt } }))],
];

const rows = [['sandbox', 'answers/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms', 'kB']];
let typical = 0;
for (const [name, calls] of cases) {
  await load(url, calls, { lanes: 4, forMs: forMs / 5 }); // warm
  const before = await cpuMs();
  const { perSecond, ms, bytes } = await load(url, calls, { lanes: 8, forMs });
  const cpu = ((await cpuMs()) - before) / ms.length;
  if (name === 'A, 2 tools') typical = perSecond;
  rows.push([name, perSecond.toFixed(0), ...figures(ms, 0), cpu.toFixed(2), (bytes / 1_000).toFixed(0)]);
}

const live = (tools: readonly string[]): Call[] => [
  { path: '/live/search/ai/search', body: { prompt: 'tide', tools, date_filter: 'PAST_WEEK' } },
];
const answering = TOOLS.filter((tool) => tool !== 'Video Search');
const overhead = await load(url, live(answering), { lanes: 4, forMs });
const deaf = await load(url, live(TOOLS), { lanes: 4, forMs: 1 });
const beyond = percentile(deaf.ms, 1) - MODEL_TIERS.NOVA.sourceMs;
const much = prompts.flatMap((prompt): Call[] => [
  {
    path: '/sandbox/2026/desearch/ai/search',
    body: { prompt, tools: TOOLS, count: 200, date_filter: 'PAST_YEAR' },
  },
]);
await load(url, much, { lanes: 1, forMs: forMs / 5 });
await answerOf('watch');
await load(url, much, { lanes: 4, forMs });
const longestMs = await answerOf('longest');
child.disconnect();

const p95 = percentile(overhead.ms, 0.95) - SLOWEST_MS;
process.stdout.write(`${aligned(rows)}

over the slowest source (${SLOWEST_MS} ms), p50/p95/p99 ms: ${figures(overhead.ms, SLOWEST_MS).join(' / ')}
beyond the time of a source that never answers (${MODEL_TIERS.NOVA.sourceMs} ms): ${beyond.toFixed(0)} ms

typical A    ${typical.toFixed(0)}/s, target ${TARGETS.perSecond} ${mark(typical >= TARGETS.perSecond)}
overhead p95 ${p95.toFixed(1)} ms, target ${TARGETS.overheadP95Ms} ${mark(p95 < TARGETS.overheadP95Ms)}
never answers ${beyond.toFixed(0)} ms, target ${TARGETS.beyondBudgetMs} ${mark(beyond < TARGETS.beyondBudgetMs)}
longest slice of 7 tools, 200 results each ${longestMs.toFixed(0)} ms, target ${TARGETS.sliceMs} ${mark(longestMs < TARGETS.sliceMs)}
`);

async function answerOf(message: 'watch' | 'longest'): Promise<number> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [number]; // what the server sends back
  return answer;
}

/** What the service has spent so far, in milliseconds of one core. */
async function cpuMs(): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]; // what the server sends back
  return (user + system) / 1_000;
}

function figures(ms: readonly number[], less: number): string[] {
  return [0.5, 0.95, 0.99].map((share) => (percentile(ms, share) - less).toFixed(1));
}

function mark(good: boolean): string {
  return good ? '✓' : '✗';
}
