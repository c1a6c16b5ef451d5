/**
 * A worker as a process of its own, configured by its environment as any worker is. `DIE_AT` names the
 * point of a run's journey at which it kills itself, without a word, the first time it comes there.
 */
import { Client } from 'pg';
import { readConfig } from '../src/config.ts';
import { startWorker } from '../src/doors/worker.ts';
import { createLogger } from '../src/engine/logger.ts';
import { openHome } from '../src/home.ts';

const config = readConfig();
const dieAt = process.env['DIE_AT'];
if (dieAt !== undefined) arm(dieAt);
const home = await openHome({ config, log: createLogger(config.logLevel ?? 'warn'), role: 'owner' });
const worker = await startWorker(home.ctx, home.backend, 'test');
process.send?.('ready');
process.once('SIGTERM', () => {
  void worker
    .drain()
    .then(() => home.close())
    .then(() => process.exit(0));
});

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Watches the statements of every connection; the save is the transaction in which `sight` stands. */
function arm(point: string): void {
  const query = Reflect.get(Client.prototype, 'query') as (this: Client, ...args: unknown[]) => unknown; // pg's overloads, passed on as they are
  const saving = new WeakSet<Client>();
  const watched = function (this: Client, ...args: unknown[]): unknown {
    const label = nameOf(args[0]);
    if (label === 'sight') saving.add(this);
    const committing = label === 'COMMIT' && saving.has(this);
    if (committing && point === 'before the commit') die();
    const fatal =
      (point === 'after the ledger row' && label === 'open_call') ||
      (point === 'after the answer is kept' && label === 'keep_answer') ||
      (point === 'after the commit' && committing);
    return Reflect.apply(query, this, fatal ? dyingWith(args) : args);
  };
  Client.prototype.query = watched as typeof Client.prototype.query; // the same function with an eye on it
}

function nameOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  if (typeof statement !== 'object' || statement === null) return '';
  return 'name' in statement ? String(statement.name) : '';
}

/** The same call, with a callback that ends the process as soon as Postgres has confirmed the statement. */
function dyingWith(args: unknown[]): unknown[] {
  return [...args.filter((arg) => typeof arg !== 'function'), die];
}
