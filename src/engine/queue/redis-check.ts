import { Redis } from 'ioredis';
import { Refused } from '../../errors.ts';
import { withoutArguments } from './without-arguments.ts';

/** What a Redis says of itself, as far as a queue depends on it. */
export type RedisFacts = {
  /** Of Redis, or of what says it is as good; null where the server does not tell. */
  version: string | null;
  /** `noeviction`, or a policy that throws jobs away; null where the server does not tell. */
  maxmemoryPolicy: string | null;
  /** Whether it keeps its data over a restart, by log or by snapshots; null where it does not tell. */
  persistent: boolean | null;
};

const PATIENCE_MS = 5_000;
/** BullMQ does not work with anything older than the first, and asks for the second. */
const OLDEST = [5, 0] as const;
const ADVISED = [6, 2] as const;

/** Asks a Redis about itself, on a connection of its own that is closed again. @throws where it cannot be reached */
export async function checkRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    // It would ask INFO by itself, and complain to the console where that is forbidden.
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    const info = await orForbidden(redis.info());
    const policy = memberOf(info, 'maxmemory_policy') ?? (await settingOf(redis, 'maxmemory-policy'));
    return {
      version: memberOf(info, 'redis_version') ?? null,
      maxmemoryPolicy: policy ?? null,
      persistent: await isPersistent(redis, info),
    };
  } catch (error) {
    // "Connection is closed" says nothing; what the socket said does.
    throw withoutArguments(lost ?? error);
  } finally {
    redis.disconnect();
  }
}

/**
 * Whether a queue may be kept there. A policy that evicts keys takes single jobs out of the middle of a queue, which
 * goes on to list them: that is worse than losing it whole, which the scan repairs in seconds.
 * @returns sentences for a person, about what is not as it should be or could not be looked at
 * @throws Refused where jobs would be lost or BullMQ does not work
 */
export function judgeRedis({ version, maxmemoryPolicy, persistent }: RedisFacts): string[] {
  const notes: string[] = [];
  if (version === null)
    throw new Refused('unavailable', 'Redis forbids INFO to this user; the queue cannot work without it.');
  if (isOlder(version, OLDEST))
    throw new Refused('unavailable', `Redis is version ${version}; the queue needs 6.2 or newer.`);
  else if (isOlder(version, ADVISED)) notes.push(`Redis is version ${version}; 6.2 or newer is advised`);

  if (maxmemoryPolicy === null)
    notes.push('Redis does not tell its maxmemory-policy, so it could not be checked; it must be noeviction');
  else if (maxmemoryPolicy.startsWith('allkeys-'))
    throw new Refused(
      'unavailable',
      `Redis has the maxmemory-policy ${maxmemoryPolicy}: it would throw jobs away. ` +
        'Set it to noeviction (redis-cli CONFIG SET maxmemory-policy noeviction, and in its configuration).',
    );
  else if (maxmemoryPolicy !== 'noeviction')
    notes.push(
      `Redis has the maxmemory-policy ${maxmemoryPolicy}: it can throw away locks of jobs; set noeviction`,
    );

  if (persistent === null) notes.push('Redis does not tell whether it keeps its data over a restart');
  else if (!persistent)
    notes.push(
      'Redis keeps nothing over a restart: the scan then offers all waiting runs again within seconds',
    );
  return notes;
}

/** A hosted server, or a user of ours, may be forbidden CONFIG and INFO. */
async function orForbidden(info: Promise<string>): Promise<string> {
  try {
    return await info;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return '';
    throw error;
  }
}

async function settingOf(redis: Redis, name: string): Promise<string | undefined> {
  const found: unknown = await redis.config('GET', name).catch(() => null);
  const value: unknown = Array.isArray(found) ? found[1] : undefined;
  return typeof value === 'string' ? value : undefined;
}

async function isPersistent(redis: Redis, info: string): Promise<boolean | null> {
  if (memberOf(info, 'aof_enabled') === '1') return true;
  const save = await settingOf(redis, 'save');
  return save === undefined ? null : save !== '';
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, oursMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return ours < major || (ours === major && oursMinor < minor);
}

function memberOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
