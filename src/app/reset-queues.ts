import type { Config } from '../config/config.ts';
import type { Logger } from '../platform/logger.ts';
import { resetQueue } from '../store/db/reset-queue.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import { configureProgram, findSandbox, openDatabaseAccess } from './database-access.ts';

/**
 * Resets the queue of real data, and that of the sandbox where there is one.
 * @returns where each queue is, for a person
 * @throws as `resetQueue`
 */
export async function resetQueues(config: Config, log: Logger): Promise<string[]> {
  const real = await openDatabaseAccess({ config, log, role: 'guest' });
  const reset = ({ url, kind }: { url: string; kind: 'real' | 'sandbox' }) => {
    const { redisUrl, databaseAppRole: appRole } = configureProgram(config, kind);
    return resetQueue({ url, kind, redisUrl, appRole, log });
  };
  try {
    const places = [await reset(real)];
    const sandbox = findSandbox(config, real);
    if (sandbox !== null) places.push(...(await orNone(reset(sandbox))));
    return places;
  } finally {
    await real.close();
  }
}

/** A sandbox that was never used has no queue. */
async function orNone(place: Promise<string>): Promise<string[]> {
  try {
    return [await place];
  } catch (error) {
    if (error instanceof SchemaMismatch && error.difference === 'empty') return [];
    throw error;
  }
}
