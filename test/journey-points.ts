/**
 * Points in the journey of a run at which a worker dies or waits. They are detected from outside, by
 * the statements that a connection sends: the program does not know them.
 */
import { Client } from 'pg';

type Place = {
  side: 'before' | 'after';
  statement: string;
  /** Only where the statement is given more than one row. */
  several?: boolean;
};

/** The points of the fault table. A commit is that of the transaction in which the statement in brackets was sent. */
export const POINTS = {
  /** K0 */
  'after the lease': { side: 'after', statement: 'lease_run' },
  /** K0 of runs that one statement leases. */
  'after the lease of several': { side: 'after', statement: 'lease_run', several: true },
  /** K1 */
  'after the ledger row': { side: 'after', statement: 'open_call' },
  /** K1 of calls that one statement opens. */
  'after the ledger rows of several': { side: 'after', statement: 'open_call', several: true },
  /** K2: the answer is here, and nowhere else. */
  'before the answer is kept': { side: 'before', statement: 'store_response' },
  /** K3 */
  'after the answer is kept': { side: 'after', statement: 'store_response' },
  /** The answer is kept and read, nothing is saved. */
  'before the save': { side: 'before', statement: 'win_run' },
  /** In the middle of the save's transaction. */
  'inside the save': { side: 'after', statement: 'sight' },
  'before the commit': { side: 'before', statement: 'COMMIT (sight)' },
  /** K4 */
  'after the commit': { side: 'after', statement: 'COMMIT (sight)' },
  /** In the middle of the follower's transaction. */
  'inside the follower': { side: 'after', statement: 'follow' },
  'before the follower commits': { side: 'before', statement: 'COMMIT (follow)' },
  /** In the middle of the scan's transaction. */
  'inside the scan': { side: 'after', statement: 'insert_slots' },
  /** Runs of due slots are committed, and the queue does not know them. */
  'after the scan': { side: 'after', statement: 'COMMIT (insert_slots)' },
} as const satisfies Record<string, Place>;

export type Point = keyof typeof POINTS;

type Query = (this: Client, ...args: unknown[]) => unknown;
type Callback = (...results: unknown[]) => void;

const original = Reflect.get(Client.prototype, 'query') as Query; // pg's overloads, passed on as they are

/**
 * Watches the statements of every connection from now on.
 * @param arrive called the first time the journey comes to the point; it goes on when this resolves
 * @returns ends the watch
 */
export function watchFor(point: Point, arrive: () => Promise<void>): () => void {
  const { side, statement, several = false }: Place = POINTS[point];
  const writing = new WeakSet<Client>();
  let came = false;
  const watched: Query = function (...args) {
    const name = nameOf(args[0]);
    if (`COMMIT (${name})` === statement) writing.add(this);
    const seen = name === 'COMMIT' && writing.has(this) ? statement : name;
    if (name === 'COMMIT' || name === 'ROLLBACK') writing.delete(this);
    if (came || seen !== statement || (several && !givesSeveral(args[0])))
      return Reflect.apply(original, this, args);
    came = true;
    return side === 'before' ? after(arrive(), this, args) : before(arrive, this, args);
  };
  Client.prototype.query = watched as typeof Client.prototype.query; // the same function with an eye on it
  return () => {
    Client.prototype.query = original as typeof Client.prototype.query; // as it was
  };
}

function after(arrived: Promise<void>, client: Client, args: unknown[]): unknown {
  const sent = arrived.then(() => Reflect.apply(original, client, args));
  return typeof args.at(-1) === 'function' ? undefined : sent;
}

/** The same statement; whoever sent it hears of its end only when the arrival is over. */
function before(arrive: () => Promise<void>, client: Client, args: unknown[]): unknown {
  const callback = args.at(-1);
  if (typeof callback === 'function') {
    const tell = callback as Callback; // pg calls it with an error or a result
    const late: Callback = (...results) => void arrive().then(() => tell(...results));
    return Reflect.apply(original, client, [...args.slice(0, -1), late]);
  }
  const ended = Reflect.apply(original, client, args) as Promise<unknown>; // without a callback pg promises
  return ended.then(async (result) => {
    await arrive();
    return result;
  });
}

/** Whether the first value of a statement is an array of more than one. */
function givesSeveral(statement: unknown): boolean {
  if (typeof statement !== 'object' || statement === null || !('values' in statement)) return false;
  const first: unknown = Array.isArray(statement.values) ? statement.values[0] : undefined;
  return Array.isArray(first) && first.length > 1;
}

function nameOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  if (typeof statement !== 'object' || statement === null) return '';
  return 'name' in statement ? String(statement.name) : '';
}
