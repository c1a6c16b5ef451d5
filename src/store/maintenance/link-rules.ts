/** The rules by which the stored links were identified. */

import { areSameRules, type LinkRules } from '../../model/links/link-identity.ts';
import type { Pooled, Queryable } from '../db/database.ts';

/** Without a row, the links are from before there were versions. */
const OLDEST_RULES: LinkRules = { version: 1, own: [] };

export async function readStoredRules(db: Queryable): Promise<LinkRules> {
  const { rows } = await db.query<{ value: string }>({
    name: 'link_rules',
    text: `SELECT value FROM strandline.facts WHERE name = 'link_rules'`,
  });
  // Written by `writeStoredRules` and the migration only.
  return rows[0] === undefined ? OLDEST_RULES : (JSON.parse(rows[0].value) as LinkRules);
}

export async function writeStoredRules(db: Queryable, rules: LinkRules, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO strandline.facts (name, value, at) VALUES ('link_rules', $1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at`,
    [JSON.stringify(rules), now],
  );
}

/** The rules of stored links, after a database without links has taken the current ones. */
export async function readRulesToSave(db: Queryable, current: LinkRules, now: Date): Promise<LinkRules> {
  const stored = await readStoredRules(db);
  return areSameRules(stored, current) || !(await takeRulesWithoutLinks(db, current, now)) ? stored : current;
}

/** @returns whether the database has no links, and so takes these rules at once */
async function takeRulesWithoutLinks(db: Queryable, rules: LinkRules, now: Date): Promise<boolean> {
  const { rows } = await db.query('SELECT FROM strandline.links LIMIT 1');
  if (rows.length === 0) await writeStoredRules(db, rules, now);
  return rows.length === 0;
}

/** Whether stored links were identified by other rules, in words; null if by these. */
export async function describeOutdatedRules(
  { pool }: Pooled,
  current: LinkRules,
  now: Date,
): Promise<string | null> {
  const stored = await readStoredRules(pool);
  if (areSameRules(stored, current)) return null;
  if (await takeRulesWithoutLinks(pool, current, now)) return null;
  return stored.version === current.version
    ? 'stored links are identified by other rules than those of LINK_RULES'
    : `stored links are identified by the rules of version ${stored.version}, not ${current.version}`;
}
