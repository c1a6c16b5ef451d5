/**
 * Applies a file: one transaction for each resource, in the order of the plan. It stops at the first failure, and is repeatable:
 * what was applied is then unchanged.
 */
import { InvalidInput, Refused } from '../../model/errors.ts';
import { type AuditAction } from '../../model/audit.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { lockRow, readOwners, setOwner } from '../../store/access/owners.ts';
import { inTransaction } from '../../store/db/database.ts';
import type { ActingContext } from '../context.ts';
import { changeTogether } from '../held-changes.ts';
import { mapErrorToFailure } from '../http/error-statuses.ts';
import { type Absent, compareFile, hashRow, type PlanStep, showStep } from './plan.ts';
import type { Existing, Place, ResourceKind } from './resource.ts';
import { isActive, type Step } from './step.ts';

export type ApplyOptions = {
  absent: Absent;
  /** Of the plan that a person has seen; undefined: whatever it is now. */
  fingerprint?: string | undefined;
  /** Also if it removes more than half of what the name owns. */
  remove_most?: boolean | undefined;
};

export type Applied = {
  name: string | null;
  applied: PlanStep[];
  /** What failed, with everything after it; null: nothing did. */
  failed: { step: PlanStep; status: number; code: string; detail: string } | null;
  /** Steps that were not tried because of it. */
  left: PlanStep[];
  /** Signing secrets of new channels, which are shown once. */
  secrets: { channel: string; secret: string }[];
};

/**
 * @throws InvalidInput with all problems of the file
 * @throws Refused `changed` if the plan is another one by now; `conflict` if it removes most and nobody confirmed that
 */
export async function applyFile(
  ctx: ActingContext,
  file: unknown,
  { absent, fingerprint, remove_most = false }: ApplyOptions,
): Promise<Applied> {
  const { plan, steps } = await compareFile(ctx, file, absent);
  if (fingerprint !== undefined && plan.fingerprint !== fingerprint)
    throw new Refused(
      'changed',
      'something that the plan depends on was changed since; nothing was applied. Plan again',
    );
  if (plan.removes_most && !remove_most)
    throw new Refused(
      'conflict',
      `this removes more than half of what "${plan.name}" owns; confirm it (remove_most)`,
    );
  const active = steps.filter(isActive);
  const done: Applied = { name: plan.name, applied: [], failed: null, left: [], secrets: [] };
  for (const [i, step] of active.entries()) {
    const shown = showStep(step);
    try {
      const { secret } = await applyStep(ctx, step, plan.name);
      if (typeof secret === 'string') done.secrets.push({ channel: shown.key, secret });
      done.applied.push(shown);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof InvalidInput))
        ctx.log.error({ err: error, kind: shown.kind }, 'file not applied');
      const { status, code, detail } = mapErrorToFailure(error);
      done.failed = { step: shown, status, code, detail };
      done.left = active.slice(i + 1).map(showStep);
      break;
    }
  }
  return done;
}

/** @throws Refused `changed` unless the resource is as the plan saw it */
async function applyStep(
  ctx: ActingContext,
  step: Step,
  name: string | null,
): Promise<{ secret?: string | null }> {
  const { kind, action, wanted, before } = step;
  return changeTogether(ctx, async (own) => {
    await assertSame(own, step);
    if (wanted === undefined) {
      if (before === undefined) throw new Error('a step is about a resource');
      if (action === 'remove') await kind.remove(own, before);
      else await changeOwner(own, kind, before, null);
      return {};
    }
    const made =
      Object.keys(step.changed).length > 0 || before === undefined ? await kind.put(own, wanted, before) : {};
    if (before !== undefined && action === 'adopt') await changeOwner(own, kind, before, name);
    if (before === undefined && name !== null) {
      const row = await readOne(own, kind, wanted);
      if (row !== undefined) await inTransaction(own.db, (tx) => setOwner(tx, kind.table, row.id, name));
    }
    return made;
  });
}

/** Locks the resource, so that it stays as it is until the step is committed. */
async function assertSame(ctx: ActingContext, { kind, wanted, before, owner }: Step): Promise<void> {
  const place = before ?? wanted;
  if (place === undefined) return;
  await inTransaction(ctx.db, async (tx) => {
    if (before !== undefined) await (kind.lock?.(tx, before) ?? lockRow(tx, kind.table, before.id));
  });
  const row = await readOne(ctx, kind, place);
  const owners = row === undefined ? undefined : await readOwners(ctx.db.pool, kind.table);
  const now = hashRow(row, row === undefined ? null : (owners?.get(row.id) ?? null));
  if (now !== hashRow(before, owner))
    throw new Refused(
      'changed',
      `somebody ${row === undefined ? 'removed' : before === undefined ? 'created' : 'changed'} it since the plan was made; plan again`,
    );
}

async function readOne(ctx: ActingContext, kind: ResourceKind, place: Place): Promise<Existing | undefined> {
  return (await kind.list(ctx, place))[0];
}

/** With an entry of the audit log: the resource itself does not change. */
async function changeOwner(
  ctx: ActingContext,
  kind: ResourceKind,
  row: Existing,
  name: string | null,
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await setOwner(tx, kind.table, row.id, name);
    const action: AuditAction = AUDITED[kind.table];
    const subject = kind.of === 'topic' && kind.isKeyedByParent === true ? row.parent : row.key;
    await recordAudit(tx, ctx, { action, subject, changes: { owner: { after: name } } });
  });
}

const AUDITED = {
  channels: 'channel.updated',
  topics: 'topic.updated',
  topic_names: 'topic.names_changed',
  topic_sources: 'topic.sources_changed',
  searches: 'search.updated',
  rules: 'rule.updated',
} as const satisfies Record<ResourceKind['table'], AuditAction>;
