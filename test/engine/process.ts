/** A program that opens a data directory, says its address, and stays until it is ended. */
import { createLogger } from '../../src/engine/logger.ts';
import { openEmbedded } from '../../src/engine/postgres/open.ts';

const [, , dataDir = '', role] = process.argv;
const postgres = await openEmbedded({
  dataDir,
  role: role === 'owner' ? 'owner' : 'guest',
  log: createLogger('silent'),
  settings: { fsync: 'off' },
});
process.stdout.write(`${postgres.url}\n`);
