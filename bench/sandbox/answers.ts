/**
 * What an answer of the sandbox costs, in processor time, client and server in one process: so it says the
 * same on a machine that is busy. Topics from quiet to busy, each polled every fifteen minutes of a day.
 *
 *   node --import tsx bench/sandbox/answers.ts
 */
import { SOURCES, TOOLS } from '../../src/model/enumerations.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createKeyVerifier } from '../../src/service/key-gate.ts';
import { SANDBOX_PATH } from '../../src/service/ports.ts';
import { startService } from '../../src/service/service-server.ts';
import { createSandboxSources } from '../../src/service/sandbox/sandbox-sources.ts';
import { START } from '../stage.ts';
import { planSearches, promptOf } from './plan.ts';

const POLLS = 96;
const prompts = planSearches('8', undefined).map(({ topic }) => promptOf(topic));
const signal = new AbortController().signal;

const sources = createSandboxSources();
for (const source of SOURCES) {
  const one = sources.find((other) => other.source === source);
  if (one === undefined) continue;
  const ms = await costOf((prompt, at) =>
    one.find({ prompt, keywords: [], from: undefined, to: at, limit: 40, timeoutMs: 6_000, signal }),
  );
  print(`find ${source.padEnd(18)} ${ms.toFixed(2)} ms`);
}

const clock = steppedClock(START);
const keys = createKeyVerifier({ rawKeys: ['bench'], findKeyHashes: () => Promise.resolve([]), clock });
const rate = { perMinute: 1e9, burst: 1e9 };
const at = { host: '127.0.0.1', port: 0, portAsked: true };
const service = await startService({ ...at, clock, log: createLogger('silent'), keys, rate });
const asking = (path: string, body: object) => async (prompt: string, when: Date) => {
  clock.set(when);
  const response = await fetch(`${service.url}${SANDBOX_PATH}/search/ai/search${path}`, {
    method: 'POST',
    headers: { authorization: 'bench', 'content-type': 'application/json' },
    body: JSON.stringify({ prompt, ...body }),
  });
  await response.text();
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
};
const all = { tools: TOOLS, date_filter: 'PAST_WEEK' };
for (const [name, work] of [
  ['operation B', asking('/links/microblog', {})],
  ['operation A, NOVA', asking('', all)],
  ['operation A, HORIZON', asking('', { ...all, model: 'HORIZON' })],
] as const) {
  const ms = await costOf(work);
  print(`${name.padEnd(23)} ${ms.toFixed(2)} ms: ${(2_000 / ms).toFixed(0)} a second on two cores`);
}
await service.close();

/** Processor time of one answer in ms, the first day of each topic not counted. */
async function costOf(work: (prompt: string, at: Date) => Promise<unknown>): Promise<number> {
  const ask = async (prompt: string, poll: number) =>
    work(prompt, new Date(START.getTime() + poll * 15 * MINUTE));
  for (const prompt of prompts) await ask(prompt, 0);
  const before = process.cpuUsage();
  for (let poll = 1; poll <= POLLS; poll++) for (const prompt of prompts) await ask(prompt, poll);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (POLLS * prompts.length);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
