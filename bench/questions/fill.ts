/**
 * A month (or as many days as are asked for) of 250 searches, made by SQL: posts, snapshots of counters, runs, answers, completions, and everything that the
 * save keeps beside them (volume, coverage, days, tops, gains, ages, what is out of sight). Each step follows the rule of
 * the save's own statement where that is a rule of sets; where it is not, the step says what it takes instead. Nothing is
 * drawn at random: the same size makes the same history.
 */
import { DAY } from '../../src/lib/time.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { type Database, type Id, inTransaction } from '../../src/store/db/database.ts';
import { insertSearch } from '../../src/store/topics/searches.ts';
import { ensureService } from '../../src/store/services/services.ts';
import { ensureTopic } from '../../src/store/topics/topics.ts';
import { steps } from './steps.ts';

export const MICROBLOG_SEARCHES = 200;
export const AI_SEARCHES = 50;
export const TOPICS = 25;
const DAYS = 30;

/** Slugs in the order of size: the first has an eighth of all posts, the last a few thousandths. */
export const slugOf = (operation: 'ai' | 'microblog', n: number) =>
  operation === 'ai' ? `answers-${n}` : `posts-${n}`;
export const topicOf = (n: number) => `topic-${n}`;

/** @param until the history ends here; questions ask from now() backwards. @param told gets each step and its seconds */
export async function fillHistory(
  { db, url }: { db: Database; url: string },
  options: { posts: number; days?: number; until: Date; told: (step: string, seconds: number) => void },
): Promise<void> {
  const { posts, days = DAYS, until, told } = options;
  const from = new Date(until.getTime() - days * DAY);
  const made = await makeSearches(db, from);
  const client = await connect(url, 'strandline bench');
  try {
    await client.query('SET statement_timeout = 0');
    await client.query('CREATE TEMP TABLE made (n int PRIMARY KEY, search_id bigint, ai boolean)');
    await client.query('INSERT INTO made SELECT * FROM unnest($1::int[], $2::bigint[], $3::boolean[])', [
      made.map((_, i) => i + 1),
      made.map(({ id }) => id),
      made.map(({ ai }) => ai),
    ]);
    const { rows } = await client.query<{ id: Id }>(
      `SELECT id FROM strandline.services WHERE name = 'history'`,
    );
    const size = {
      posts,
      searches: MICROBLOG_SEARCHES,
      days,
      service: String(rows[0]?.id),
      from,
      until,
    };
    for (const [name, sql] of steps(size)) {
      const before = performance.now();
      await client.query(sql);
      told(name, (performance.now() - before) / 1_000);
    }
  } finally {
    await client.end();
  }
}

async function makeSearches(db: Database, now: Date): Promise<{ id: Id; ai: boolean }[]> {
  const service = await ensureService(db, {
    name: 'history',
    kind: 'hosted',
    address: null,
    dialect: 'named',
    now,
  });
  return inTransaction(db, async (tx) => {
    const made: { id: Id; ai: boolean }[] = [];
    for (let n = 1; n <= MICROBLOG_SEARCHES + AI_SEARCHES; n += 1) {
      const ai = n > MICROBLOG_SEARCHES;
      const slug = ai ? slugOf('ai', n - MICROBLOG_SEARCHES) : slugOf('microblog', n);
      const name = topicOf((n % TOPICS) + 1);
      const topic = await ensureTopic(tx, { slug: name, name, sample: false, now });
      const definition = {
        prompt: slug,
        tools: [],
        model: 'NOVA',
        date_filter: ai ? 'PAST_WEEK' : null,
        streaming: false,
        extra: {},
        cron: null,
        auto: null,
        every_seconds: 3_600,
        tz: 'UTC',
      } as const;
      const id = await insertSearch(tx, {
        slug,
        topicId: topic.id,
        serviceId: service.id,
        operation: ai ? 'ai' : 'microblog',
        labels: [],
        definition: { ...definition, tools: [] },
        nextDueAt: now,
        now,
      });
      made.push({ id, ai });
    }
    return made;
  });
}
