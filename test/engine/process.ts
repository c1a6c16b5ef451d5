/** A program that opens a data directory, prints its address, and runs until it is stopped. */
import { createLogger } from '../../src/platform/logger.ts';
import { openEmbedded } from '../../src/platform/postgres/embedded-postgres.ts';

const [, , dataDir = '', role] = process.argv;
const postgres = await openEmbedded({
  dataDir,
  role: role === 'owner' ? 'owner' : 'guest',
  log: createLogger('silent'),
  settings: { fsync: 'off' },
});
process.stdout.write(`${postgres.url}\n`);
