/** Defects that interleavings must find: each is a replacement in the program's SQL, made on its way to Postgres. */
import type { Mutation } from './gate.ts';
import type { Limits, OutsideEvent, Role, Step } from './plan.ts';

export type Defect = {
  name: string;
  /** Text of a statement, and what replaces it. Statements that do not hold it stay as they are. */
  replace: readonly (readonly [from: string | RegExp, to: string])[];
  /** Only statements that hold this. */
  in: string;
  /** Who takes part; the schedule is drawn. */
  roles: readonly Role[];
  limits?: Partial<Limits>;
  /** What may happen meanwhile, where not everything may. */
  events?: readonly OutsideEvent[];
  /** How each schedule begins, where few would come that far. */
  begins?: readonly Step[];
  /** What is found. */
  finds: RegExp;
};

const executes = { does: 'execute', run: 'a', response: 'posts' } as const;
/** Others wait in the middle of a call. */
const LOCKED = ['leases end', 'minute row locked', 'minute row released'] as const;
const scans = { does: 'scan', takeOver: false } as const;

export const DEFECTS: readonly Defect[] = [
  {
    name: 'the save does not compare the fence',
    in: "SET status = 'succeeded', ended_at",
    replace: [['AND r.fence = asked.fence', 'AND asked.fence IS NOT NULL']],
    roles: [executes, executes],
    events: ['leases end'],
    finds: /saved by somebody who had lost it/,
  },
  {
    name: 'the save does not mark its response as read',
    in: "SET status = 'succeeded', ended_at",
    replace: [['AND n = won.response AND read_at IS NULL', 'AND n = won.response AND false']],
    roles: [executes, executes],
    events: ['leases end'],
    finds: /posts of an unread response were saved/,
  },
  {
    name: 'a call does not compare the fence',
    in: 'INSERT INTO strandline.calls',
    replace: [['AND fence = asked.fence AND', 'AND']],
    roles: [executes, executes],
    events: ['leases end'],
    finds: /called for by somebody who had lost it/,
  },
  {
    name: 'a call does not lock its run',
    in: 'INSERT INTO strandline.calls',
    replace: [["status = 'running' FOR NO KEY UPDATE", "status = 'running'"]],
    roles: [executes, executes],
    limits: { perMinute: 3 },
    events: LOCKED,
    finds: /duplicate key/,
  },
  {
    name: 'a call does not check for unread responses',
    in: 'strandline.calls',
    replace: [
      ['NOT unread AND', ''],
      [/AND NOT refunded\s+AND EXISTS/, 'AND false AND EXISTS'],
    ],
    roles: [executes, executes],
    events: ['leases end'],
    finds: /although a stored response was unread/,
  },
  {
    name: 'a call is not checked again after waiting for a lock',
    in: "SET state = 'failed', code = 'timeout_connect'",
    replace: [[/AND NOT refunded\s+AND EXISTS/, 'AND false AND EXISTS']],
    roles: [executes, executes],
    limits: { perMinute: 3 },
    events: LOCKED,
    begins: [{ connection: 0, statements: 2 }, { event: 'leases end' }, { connection: 1, statements: 3 }],
    finds: /although a stored response was unread/,
  },
  {
    name: 'a call does not count the calls of its run',
    in: 'INSERT INTO strandline.calls',
    replace: [['AND calls < most', 'AND most IS NOT NULL']],
    roles: [executes, executes],
    limits: { perRun: 1 },
    events: ['leases end'],
    finds: /a run made more calls than it may/,
  },
  {
    name: 'a call does not lock the minute',
    in: 'minute AS MATERIALIZED',
    replace: [['FOR UPDATE OF m', '']],
    roles: [executes, { does: 'trial', sent: true }, { does: 'trial', sent: true }],
    limits: { perMinute: 3 },
    events: LOCKED,
    finds: /the minute counts other calls/,
  },
  {
    name: 'a refund does not change the day',
    in: 'uncounted AS',
    replace: [['d.calls - 1', 'd.calls']],
    roles: [{ does: 'trial', sent: false }, executes],
    finds: /the day counts other calls/,
  },
  {
    name: 'a lease does not check the lease',
    in: "SET status = 'running', fence",
    replace: [[/NOT \(lease_until > .*? \+ interval '1 day'\)/, 'true']],
    roles: [executes, executes],
    finds: /leased although its lease went on/,
  },
  {
    name: 'a lease does not check whether scans run',
    in: "SET status = 'running', fence",
    replace: [[/AND EXISTS \(\s*SELECT FROM strandline\.scanner\s+WHERE .*?'5 s'\)/, '']],
    roles: [executes, executes],
    events: ['leases end', 'no scan for a minute'],
    finds: /taken over before a scan had extended its lease/,
  },
  {
    name: 'a scan does not lock the due searches',
    in: 'next_due_at <= $',
    replace: [['FOR NO KEY UPDATE SKIP LOCKED', '']],
    roles: [scans, { does: 'change', changes: ['pause'] }],
    finds: /P1|searches_next_due/,
  },
  {
    name: 'neither locks nor slots exclude a concurrent scan',
    in: 'strandline.',
    replace: [
      [/(ORDER BY next_due_at LIMIT \$\d) FOR NO KEY UPDATE SKIP LOCKED/, '$1'],
      ['ON CONFLICT (search_id, slot_at) DO NOTHING', ''],
    ],
    roles: [scans, scans],
    finds: /runs_slot_key/,
  },
  {
    name: 'a retry does not lock its search',
    in: 'requeued AS',
    replace: [['FOR SHARE OF s', '']],
    roles: [
      { ...executes, response: 'stopping' },
      { does: 'change', changes: ['pause'] },
    ],
    events: [],
    finds: /a search that was stopped has a queued run/,
  },
  {
    name: 'an existing sighting is not skipped',
    in: 'INSERT INTO strandline.post_sightings',
    replace: [
      ['OFFSET 0) known', 'AND false OFFSET 0) known'],
      ['ON CONFLICT DO NOTHING\n  RETURNING search_id, post_id', 'RETURNING search_id, post_id'],
    ],
    roles: [executes, executes],
    events: ['leases end'],
    finds: /duplicate key/,
  },
  {
    name: 'an Idempotency-Key is void before its time limit',
    in: 'INSERT INTO strandline.idempotency_keys',
    replace: [
      [
        /k\.created_at NOT BETWEEN excluded\.created_at - (\$\d+) \* interval '1 ms' AND excluded\.created_at \+ (\$\d+) \* interval '1 ms'/,
        '($1::float8 + $2::float8) IS NOT NULL',
      ],
    ],
    roles: [{ does: 'request' }, { does: 'request' }],
    events: [],
    finds: /executed twice within its time limit/,
  },
];

export function mutationOf(defect: Defect, replaced: () => void): Mutation {
  return (text) => {
    if (!text.includes(defect.in)) return text;
    const changed = defect.replace.reduce((before, [from, to]) => before.replace(from, to), text);
    if (changed !== text) replaced();
    return changed;
  };
}
