/**
 * The monitor over sixty simulated days of the sandbox, against the truth about them: `sandbox/score.ts` says which alerts are right.
 *
 *   npm run -s bench:sandbox -- [--seed S] [--days 60] [--topics 10|slug,slug] [--every 1h] --out DIR
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config/config.ts';
import { DAY, MINUTE } from '../src/lib/time.ts';
import { createLogger } from '../src/platform/logger.ts';
import { listPlantedBursts, listPlantedOthers } from '../src/service/sandbox/planted-events.ts';
import { matchTopic } from '../src/service/sandbox/built-in-topics.ts';
import { computeTruth } from '../src/service/sandbox/ground-truth.ts';
import { simulate } from '../src/app/simulation.ts';
import { harvestLinks, harvestPosts } from './sandbox/harvest.ts';
import { planSearches, promptOf, searchesOf } from './sandbox/plan.ts';
import { listNeutral } from './sandbox/score.ts';
import { reportOf } from './sandbox/report.ts';
import { type Alert, alertsOf, countDuplicates, linksOf, runsByEnd, sightingsOf } from './sandbox/store.ts';
import { type Database, openDatabase } from '../src/store/db/database.ts';
import { applyRetention, retentionLimitsAt } from '../src/store/erase/retention.ts';
import { openStage, START } from './stage.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: 'strandline' },
    days: { type: 'string', default: '60' },
    topics: { type: 'string' },
    every: { type: 'string' },
    out: { type: 'string' },
  },
});
const days = Number(values.days);
if (!(days > 0 && days <= 92)) throw new Error(`--days: 1 to 92, not ${values.days}`);
if (values.out === undefined) throw new Error('--out DIR is missing: that is where the results go');
const span = { seed: values.seed, from: START.getTime() - days * DAY, to: START.getTime() };

const plan = planSearches(values.topics, values.every);
/** One AI search of each rate class that is there. */
const ai = plan.filter(({ rateClass }, i) => plan.findIndex((one) => one.rateClass === rateClass) === i);

const CONNECTIONS = 4;
const stage = await openStage(CONNECTIONS);
try {
  const db = await fastDatabase();
  // Raw answers of two days are enough to look at; a database of sixty days would be large.
  const config = readConfig({ ANSWER_DAYS: '2' });
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  let day = 0;
  let counted = 0;
  const done = await simulate(
    { config, db: db, log: createLogger('warn') },
    {
      from: new Date(span.from),
      to: new Date(span.to),
      seed: values.seed,
      // As often as a follower in production has something to do.
      stepMs: 10 * MINUTE,
      searches: searchesOf(plan, ai),
      onRun: () => {
        counted += 1;
      },
      onDay: async (at) => {
        await applyRetention(db, retentionLimitsAt(at, config), () => true);
        day += 1;
        const seconds = (performance.now() - began) / 1_000;
        if (day % 5 === 0)
          process.stderr.write(`day ${day}: ${counted} runs, ${(counted / seconds).toFixed(0)} a second\n`);
      },
    },
  );
  const seconds = (performance.now() - began) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);

  const alerts = await alertsOf(db);
  const searches = [];
  for (const search of plan) {
    const inWorld = matchTopic(values.seed, promptOf(search.topic));
    const alertsIn = (measure: Alert['measure']) =>
      alerts.filter((one) => one.searchSlug === search.slug && one.measure === measure).map(({ at }) => at);
    searches.push({
      search,
      posts: harvestPosts(search, span, await sightingsOf(db, search.slug)),
      alerts: alertsIn('posts'),
      growthAlerts: alertsIn('engagement'),
      bursts: listPlantedBursts(inWorld, span.from, span.to),
      neutral: listNeutral(listPlantedOthers(inWorld, span.from, span.to)),
    });
  }
  const links = [];
  for (const search of ai) {
    const seen = await linksOf(db, `${search.topic.slug}-ai`);
    links.push({ topic: search.topic.slug, ...harvestLinks(search, span, seen) });
  }
  const report = reportOf({
    span,
    searches,
    links,
    seconds,
    cpuMsPerRun: (cpu.user + cpu.system) / 1_000 / done.runs,
    runs: done.runs,
    failed: 0,
    ends: await runsByEnd(db),
    duplicates: await countDuplicates(db),
  });

  await mkdir(values.out, { recursive: true });
  const truth = plan.map(({ topic }) =>
    computeTruth(values.seed, promptOf(topic), new Date(span.from), new Date(span.to)),
  );
  await writeFile(path.join(values.out, 'truth.json'), `${JSON.stringify(truth, null, 1)}\n`);
  await writeFile(path.join(values.out, 'result.json'), `${JSON.stringify(report.result, null, 1)}\n`);
  process.stdout.write(`${report.text}\n`);
} finally {
  await stage.close();
}

/** A database that does not wait for the disk at each commit: nobody needs it after a crash. */
async function fastDatabase(): Promise<Database> {
  const { db, url } = await stage.addDatabase('sandbox');
  await db.pool.query('ALTER DATABASE sandbox SET synchronous_commit = off');
  const fast = openDatabase(url, { log: createLogger('warn'), max: CONNECTIONS, name: 'strandline bench' });
  stage.adopt(fast);
  return fast;
}
