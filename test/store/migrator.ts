/** A program that migrates a database from a folder, to be killed midway. */
import { createLogger } from '../../src/platform/logger.ts';
import { migrate } from '../../src/store/db/migrate.ts';

const [, , url = '', folder = ''] = process.argv;
await migrate({ url, folder, log: createLogger('silent') });
