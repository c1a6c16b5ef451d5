/** What the doctor looks at. Nothing here changes anything, and nothing is paid for. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { SECOND } from '../../engine/clock.ts';
import { checkRedis, judgeRedis } from '../../engine/queue/redis-check.ts';
import { InvalidInput, Refused } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { describeDatabase } from '../../store/migrate.ts';
import { readServer } from '../../store/reads/server.ts';
import { mayReaderHinder } from '../../store/reader/ask.ts';
import { readerQuery } from '../../store/reader/query.ts';
import { checkSchema } from '../../store/schema-state.ts';
import { measureSkew } from '../../store/workers.ts';
import { aside, bad, type Check, good, sayingOf } from './check.ts';
import { checkSecrets } from './checks-of-secrets.ts';
import { checksOfSources } from './checks-of-sources.ts';
import { checksOfWork } from './checks-of-work.ts';
import type { Cli } from './cli.ts';
import { PATIENCE_MS, withPatience } from '../../engine/patience.ts';
import { reach } from './reach.ts';

const OLDEST_NODE = [20, 19] as const;
const OLDEST_POSTGRES = 150_000;
/** Two clocks that NTP keeps differ by less. */
const MAX_SKEW_MS = 2 * SECOND;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_NODE;
  const enough = major > oldest || (major === oldest && minor >= oldestMinor);
  if (enough) return good('node', version);
  return bad('node', version, `install Node ${oldest}.${oldestMinor} or newer`);
}

export function checkConfig(cli: Cli): { check: Check; value: Config | undefined } {
  try {
    return { check: good('configuration', 'every variable can be read'), value: cli.config() };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const check = bad('configuration', error.message, 'change these variables; see: strandline config show');
    return { check, value: undefined };
  }
}

/** Whether the folder, or the nearest one above it that is there, can be written to. */
export async function checkDataDir(dataDir: string): Promise<Check> {
  try {
    await access(await nearestFolder(dataDir), constants.W_OK | constants.X_OK);
    return good('data folder', dataDir);
  } catch (error) {
    return bad(
      'data folder',
      `${dataDir}: ${sayingOf(error)}`,
      'make it writable, or set STRANDLINE_DATA_DIR',
    );
  }
}

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}

/** A database of the user's own is looked at before anything would migrate it. */
export async function checkOwnDatabase(url: string): Promise<Check> {
  const name = describeDatabase(url);
  try {
    const state = await checkSchema(url);
    switch (state) {
      case 'current':
        return good('database', `${name}; its schema is up to date`);
      case 'empty':
      case 'behind':
        return bad('database', `${name}; its schema is ${state}`, 'run: strandline migrate');
      case 'outdated':
        return bad(
          'database',
          `${name}; it is older than this strandline can migrate`,
          'run: strandline migrate, which says with which release to begin',
        );
      case 'newer':
        return bad('database', `${name}; a newer strandline migrated it`, 'use that newer strandline');
      case 'foreign':
      default:
        return bad('database', `${name}; its schemas are not ours`, 'name another database in DATABASE_URL');
    }
  } catch (error) {
    return bad(
      'database',
      `${name} cannot be reached: ${sayingOf(error)}`,
      'check DATABASE_URL and that Postgres runs',
    );
  }
}

/** The embedded database could not be opened: what it says is all there is to say. */
export function checkEmbedded(error: unknown): Check {
  return bad('database', sayingOf(error), 'see docs/homes.md, or set DATABASE_URL to a Postgres of yours');
}

/** A hosted service is connected to and told nothing: no key, no request. */
export async function checkHosted({ hosted }: Config): Promise<Check[]> {
  if (hosted === undefined) return [];
  const { host } = new URL(hosted.url);
  try {
    await reach(hosted.url, PATIENCE_MS);
    const key =
      hosted.key === undefined
        ? [bad('hosted service key', 'none', 'set SEARCH_API_KEY or SEARCH_API_KEY_FILE')]
        : [];
    return [good('hosted service', `${host} accepts connections`), ...key];
  } catch (error) {
    return [
      bad(
        'hosted service',
        `${host} cannot be reached: ${sayingOf(error)}`,
        'check SEARCH_API_URL and the network',
      ),
    ];
  }
}

/** What BullMQ needs of a Redis: what lets no worker start, and what makes it less than it could be. */
export async function checkQueueServer({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === undefined) return [];
  try {
    const facts = await checkRedis(redisUrl);
    judgeRedis(facts);
    const { version, maxmemoryPolicy, persistent } = facts;
    return [
      good('redis', `version ${version ?? 'not told'}`),
      maxmemoryPolicy === null || maxmemoryPolicy === 'noeviction'
        ? good('redis memory', maxmemoryPolicy ?? 'its policy is not told')
        : bad(
            'redis memory',
            `maxmemory-policy is ${maxmemoryPolicy}: jobs can be thrown away`,
            'set maxmemory-policy noeviction',
          ),
      persistent === false
        ? aside(
            'redis persistence',
            'none: a restart empties the queue',
            'nothing is lost: within seconds the scan offers all waiting runs again',
          )
        : good('redis persistence', persistent === null ? 'not told' : 'kept over a restart'),
    ];
  } catch (error) {
    if (error instanceof Refused)
      return [bad('redis', error.message, 'until then no worker takes work from it')];
    return [bad('redis', `cannot be reached: ${sayingOf(error)}`, 'check REDIS_URL and that Redis runs')];
  }
}

export async function checksOfHome(home: Home): Promise<Check[]> {
  return [
    await checkServer(home),
    await checkSkew(home),
    await checkQueue(home),
    await checkReader(home),
    ...(await checkSecrets(home)),
    ...(await checkLocalService(home)),
    ...checksOfSources(await home.services.probe()),
    ...(await checksOfWork(home)),
  ];
}

async function checkServer({ ctx, embedded }: Home): Promise<Check> {
  const { version, number } = await readServer(ctx.db);
  const found = `PostgreSQL ${version}${embedded === null ? '' : `, embedded in ${embedded.dataDirectory}`}`;
  return number >= OLDEST_POSTGRES
    ? good('postgres', found)
    : bad('postgres', found, 'strandline needs PostgreSQL 15 or newer');
}

async function checkSkew({ ctx }: Home): Promise<Check> {
  const ms = await measureSkew(ctx.db);
  const found = `${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead of'} the database's`;
  if (Math.abs(ms) <= MAX_SKEW_MS) return good('clock', found);
  return aside(
    'clock',
    found,
    "schedules use the database's clock; run NTP on both for logs that can be compared",
  );
}

async function checkQueue({ ctx }: Home): Promise<Check> {
  const where = `BullMQ on ${ctx.queue.kind === 'redis' ? 'Redis' : 'Postgres'}`;
  try {
    await withPatience(ctx.queue.ping());
    return good('queue', `${where} answers`);
  } catch (error) {
    return bad(
      'queue',
      `${where} does not answer: ${sayingOf(error)}`,
      'runs wait in the database until it does',
    );
  }
}

async function checkReader(home: Home): Promise<Check> {
  const readerUrl = home.readerUrl();
  if (readerUrl === null) return aside('sql reader', 'none', 'for `strandline sql` set DATABASE_READER_URL');
  try {
    await readerQuery({ url: readerUrl, sql: 'select count(*) from strandline_analytics.topics' });
    if (!(await mayReaderHinder(readerUrl))) return good('sql reader', 'reads the views');
    return aside(
      'sql reader',
      'reads the views, and could hold up the queue by advisory locks or fill the disk with large objects',
      'docs/homes.md has what the superuser of this Postgres runs to close that',
    );
  } catch (error) {
    return bad(
      'sql reader',
      `cannot read the views: ${sayingOf(error)}`,
      'check DATABASE_READER_URL and run: strandline migrate',
    );
  }
}

/** The sandbox answers in this very process; where it cannot listen, nothing of it will run. */
async function checkLocalService({ services }: Home): Promise<Check[]> {
  try {
    const { url } = await services.local();
    const { ok, status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return [
      ok
        ? good('sandbox', 'answers')
        : bad('sandbox', `answers with ${status}`, 'this is a fault of strandline: please report it'),
    ];
  } catch (error) {
    return [
      bad('sandbox', `does not answer: ${sayingOf(error)}`, 'check that programs may listen at 127.0.0.1'),
    ];
  }
}
