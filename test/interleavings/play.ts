/** Plays one interleaving: permits statements one by one, applies outside events, and runs the checks. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Findings, check, checkRecord } from './checks.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { Gate } from './gate.ts';
import { type OutsideEvent, type Plan, roleInWords } from './plan.ts';
import { act, execute } from './roles.ts';
import type { Scene, Stage } from './stage.ts';

export type Played = {
  violations: string[];
  /** What happened, a line for each statement. */
  trace: string[];
};

const ROUNDS = 6;

export async function play(stage: Stage, plan: Plan): Promise<Played> {
  const scene = await stage.nextScene(plan.calledBefore && plan.limits.perMinute !== undefined);
  stage.reset();
  const { record, gates, outside, slow } = stage;
  const trace: string[] = [];
  const working = plan.roles.map((role, i) => {
    const gate = gateAt(gates, i);
    const ctx = stage.contextOf(gate, plan.limits, role.does === 'execute' ? role.response : 'posts');
    gate.begin(() =>
      act(ctx, role, scene, record).catch((error: unknown) => {
        record.violations.push(`connection ${i} (${roleInWords(role)}) failed: ${String(error)}`);
      }),
    );
    return gate;
  });
  await Promise.all(working.map((gate) => gate.arrived()));
  const all = [...working, outside, slow];
  const who = (gate: Gate) => (working.includes(gate) ? `connection ${working.indexOf(gate)}` : 'outside');

  async function permit(gate: Gate, event?: OutsideEvent): Promise<void> {
    const name = event ?? gate.next()?.name ?? '';
    const waited = new Set(all.filter((other) => other.state() === 'sent'));
    const mayWait = all.some((other) => other !== gate && (other.mayHoldLocks() || waited.has(other)));
    gate.permit();
    const line = trace.push(`${who(gate)}: ${name}`) - 1;
    if (!mayWait) return gate.arrived();
    await settled(gate);
    if (gate.state() === 'sent') trace[line] += ' (waits for a lock)';
    // Those whose locks it released go on, in the order in which they came.
    for (const other of waited) {
      await settled(other);
      if (other.state() !== 'sent') trace.push(`${who(other)}: goes on`);
    }
  }

  /** Until a connection has its answer, or waits for a lock. */
  async function settled(gate: Gate): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      // Most answers come at once. Whoever asks without a pause takes the processor from whoever is to answer.
      await Promise.race([gate.arrived(), pause(Math.min(attempt, 5))]);
      if (gate.state() === 'ready' || gate.state() === 'ended') return;
      const { rows } = await stage.observer.query<{ waits: boolean }>({
        name: 'waits',
        text: 'SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits',
        values: [gate.pid],
      });
      if (rows[0]?.waits === true && gate.state() === 'sent') return;
    }
  }

  for (const step of plan.steps) {
    if ('event' in step) {
      const gate = step.event.startsWith('minute row') ? slow : outside;
      const impossible = gate === slow && (step.event === 'minute row locked') === slow.mayHoldLocks();
      if (gate.state() === 'sent' || impossible) continue;
      if (step.event === 'request overdue') record.isRequestOverdue = true;
      if (step.event === 'leases end') record.leased.clear();
      gate.begin(async () => {
        await happen(gate, scene, step.event);
        if (step.event === 'a minute passes') stage.advance(MINUTE);
        if (step.event === 'no scan for a minute') record.isOutage = true;
        if (step.event === 'scans go on') record.isOutage = false;
      });
      await gate.arrived();
      await permit(gate, step.event);
    } else if ('dies' in step) {
      const gate = working[step.dies];
      if (gate?.state() !== 'ready') continue;
      const waited = all.filter((other) => other.state() === 'sent');
      trace.push(`${who(gate)}: dies`);
      await gate.die();
      record.died = true;
      for (const other of waited) await settled(other);
    } else {
      const gate = working[step.connection];
      for (let i = 0; i < step.statements && gate?.state() === 'ready'; i += 1) await permit(gate);
    }
  }
  if (slow.mayHoldLocks()) {
    slow.begin(() => slow.db.pool.query('COMMIT'));
    await slow.arrived();
    await permit(slow, 'minute row released');
  }
  for (;;) {
    const ready = working.find((gate) => gate.state() === 'ready');
    if (ready !== undefined) await permit(ready);
    else {
      const waiting = all.filter((gate) => gate.state() === 'sent');
      if (waiting.length === 0) break;
      // Postgres breaks the deadlock.
      await Promise.race(waiting.map((gate) => gate.arrived()));
    }
  }
  const violations = await settle(stage, scene, plan);
  return { violations: [...new Set([...record.violations, ...violations])], trace };
}

/** Scans go on, leases and pauses end. $1 searches. */
const TIME_PASSES = `
WITH scanned AS (
  UPDATE strandline.scanner SET scanned_at = clock_timestamp() + interval '4 seconds'
), runs AS (
  UPDATE strandline.runs SET not_before = NULL,
    lease_until = CASE status WHEN 'running' THEN clock_timestamp() - interval '1 second' END
  WHERE search_id = ANY ($1::bigint[]) AND status IN ('queued', 'running')
)
UPDATE strandline.responses SET next_read_at = NULL
WHERE read_at IS NULL AND run_id IN (SELECT id FROM strandline.runs WHERE search_id = ANY ($1::bigint[]))`;

/** Everything that is left to do is done: then nothing runs, and no response is unread. */
async function settle(stage: Stage, scene: Scene, plan: Plan): Promise<string[]> {
  const { observer, record } = stage;
  const gate = gateAt(stage.gates, 0);
  const ctx = stage.contextOf(gate, plan.limits, 'posts');
  record.isOutage = false;
  const before = await check(observer, scene, plan);
  let now: Findings = before;
  for (let round = 0; now.running.length + now.unread.length > 0; round += 1) {
    if (round === ROUNDS) return [...before.violations, 'P2, P9: something is running or unread for ever'];
    await observer.query({ name: 'time_passes', text: TIME_PASSES, values: [scene.searches] });
    record.leased.clear();
    gate.setOpen(true);
    // A run that waits for a retry reads its response then; of one that has ended it is read late.
    for (const run of new Set([...now.running, ...now.unread])) await execute(ctx, run);
    gate.setOpen(false);
    now = await check(observer, scene, plan);
  }
  return [...before.violations, ...now.violations, ...now.atTheEnd, ...checkRecord(record, now)];
}

async function happen(
  { db }: { db: { pool: Pick<Gate['db']['pool'], 'query'> } },
  scene: Scene,
  event: OutsideEvent,
): Promise<void> {
  const { searches } = scene;
  switch (event) {
    case 'leases end':
      await db.pool.query(
        `UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE search_id = ANY ($1) AND status = 'running'`,
        [searches],
      );
      return;
    case 'no scan for a minute':
      await db.pool.query(
        `UPDATE strandline.scanner SET scanned_at = clock_timestamp() - interval '1 minute'`,
      );
      return;
    case 'scans go on':
      await db.pool.query(
        `UPDATE strandline.scanner SET scanned_at = clock_timestamp() + interval '4 seconds'`,
      );
      return;
    case 'pauses end':
      await db.pool.query(
        `WITH runs AS (
           UPDATE strandline.runs SET not_before = NULL, offer_at = clock_timestamp() - interval '1 second'
           WHERE search_id = ANY ($1) AND status = 'queued' RETURNING id)
         UPDATE strandline.responses SET next_read_at = clock_timestamp() - interval '1 second'
         WHERE read_at IS NULL AND run_id IN (SELECT id FROM strandline.runs WHERE search_id = ANY ($1))`,
        [searches],
      );
      return;
    case 'minute row locked':
      await db.pool.query('BEGIN');
      await db.pool.query('SELECT FROM strandline.call_minutes WHERE service_id = $1 FOR UPDATE', [
        scene.service,
      ]);
      return;
    case 'minute row released':
      await db.pool.query('COMMIT');
      return;
    case 'request overdue':
    case 'a minute passes':
      await db.pool.query('SELECT');
  }
}

function gateAt(gates: readonly Gate[], i: number): Gate {
  const gate = gates[i];
  if (gate === undefined) throw new Error('a plan has more roles than there are connections');
  return gate;
}

export function describePlay(plan: Plan, { violations, trace }: Played): string {
  const { perRun, perDay, perMinute } = plan.limits;
  const limits = `${perRun} per run, ${perDay ?? 'any'} per day, ${perMinute ?? 'any'} per minute`;
  return [
    ...violations,
    '',
    `calls: ${limits}`,
    ...plan.roles.map((role, i) => `connection ${i} ${roleInWords(role)}`),
    '',
    ...trace,
  ].join('\n');
}
