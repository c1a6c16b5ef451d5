/** The audit log: who changed what. Each entry is written in the transaction of its change, or there is neither. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../db/database.ts';
import { execute, statement, timeOf } from '../db/statement.ts';
import type { AuditAction, Change } from '../../model/audit.ts';

/** Who acts. `token`: prefix of the token of the request or of its session. */
export type Actor =
  | { kind: 'token' | 'session'; token: string }
  | { kind: 'local' }
  | { kind: 'command_line' | 'program'; name: string };

/** The actor in a few words, for a row that records who added it. */
export function nameActor(actor: Actor): string {
  if ('name' in actor) return actor.name;
  return 'token' in actor ? `token ${actor.token}` : 'this machine';
}

type AuditEntry = {
  action: AuditAction;
  /** Slug, ID or name of the changed object; null if there is only one of its kind. */
  subject: string | bigint | null;
  /** Changed fields by name. Never contains secrets or webhook URLs. */
  changes?: Readonly<Record<string, Change>>;
};

/** Adds an entry to the transaction of its change. */
export async function recordAudit(
  tx: Queryable,
  { actor, clock }: { actor: Actor; clock: Pick<Clock, 'statementTime'> },
  { action, subject, changes = {} }: AuditEntry,
): Promise<void> {
  const token = 'token' in actor ? actor.token : null;
  const name =
    'name' in actor
      ? statement`${actor.name}`
      : statement`(SELECT name FROM strandline.tokens WHERE prefix = ${token})`;
  const named = subject === null ? null : String(subject);
  const changed = JSON.stringify(boundChanges(changes));
  await execute(
    tx,
    statement`INSERT INTO strandline.audit_log (at, actor, token, name, action, subject, changes)
      VALUES (${timeOf(clock.statementTime())}, ${actor.kind}, ${token}, ${name}, ${action}, ${named}, ${changed})`,
  );
}

/** The fields that differ, each with both values; undefined values are omitted. */
export function diffFields<T extends object>(before: Partial<T>, after: Partial<T>): Record<string, Change> {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return Object.fromEntries(
    [...new Set([...old.keys(), ...now.keys()])].flatMap((name): [string, Change][] =>
      isDeepStrictEqual(old.get(name), now.get(name))
        ? []
        : [[name, { before: old.get(name), after: now.get(name) }]],
    ),
  );
}

/** Initial values, except null and empty ones. */
export function recordCreation(fields: object): Record<string, Change> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, after]: [string, unknown]): [string, Change][] =>
      after === null || after === undefined || EMPTY_VALUES.has(JSON.stringify(after, toStorable))
        ? []
        : [[name, { after }]],
    ),
  );
}

const EMPTY_VALUES: ReadonlySet<string> = new Set(['""', '[]', '{}']);

/** Per value, in characters of its JSON: enough for names, filters, schedules and the beginning of a prompt. */
const MAX_VALUE_LENGTH = 400;
/** No object has more fields. */
const MAX_FIELDS = 16;

/** At most 16 fields with two values of 400 characters each: well below the 64 kB limit of a row in any script. */
function boundChanges(changes: Readonly<Record<string, Change>>): Record<string, Change> {
  return Object.fromEntries(
    Object.entries(changes)
      .slice(0, MAX_FIELDS)
      .map(([name, change]) => [
        name,
        Object.fromEntries(Object.entries(change).map(([moment, value]) => [moment, shorten(value)])),
      ]),
  );
}

/** @returns the value as JSON; a long one truncated to text, undefined unchanged */
function shorten(value: unknown): unknown {
  const json = value === undefined ? undefined : JSON.stringify(value, toStorable);
  if (json === undefined || json.length <= MAX_VALUE_LENGTH)
    return json === undefined ? undefined : JSON.parse(json);
  const text = typeof value === 'string' ? value : json;
  return `${String(toStorable('', text.slice(0, MAX_VALUE_LENGTH - 1)))}…`;
}

/** Postgres' JSON allows no NUL and no lone surrogates; IDs become text. */
function toStorable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}
