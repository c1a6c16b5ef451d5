/** Rules, channels and deliveries for display, without URLs and secrets. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import { createNotFound } from '../../model/errors.ts';
import { type Database, type Id, type Orm, prepareOnce } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { DataScope } from '../queries/data-scope.ts';
import { equals } from '../queries/view-conditions.ts';
import { channelsView, deliveriesView, rulesView, systemEventsView } from '../schema/analytics-views.ts';
import { type DeliveryState, SYSTEM_RULE, type SystemEventKind } from '../../model/alerts.ts';

export type RuleRow = typeof rulesView.$inferSelect;
export type ChannelRow = typeof channelsView.$inferSelect;
export type DeliveryRow = typeof deliveriesView.$inferSelect;
export type SystemEventRow = typeof systemEventsView.$inferSelect;

/** The rule with this slug, unless removed. @param options.removed the last one with this slug, even if removed */
export async function readRule(
  db: Orm,
  slug: string,
  { removed = false }: { removed?: boolean } = {},
): Promise<RuleRow | undefined> {
  const [row] = await prepareOnce(db.orm, removed ? 'rule_or_removed' : 'rule', () =>
    db.orm
      .select()
      .from(rulesView)
      .where(
        and(eq(rulesView.slug, sql.placeholder('key')), removed ? undefined : isNull(rulesView.archived_at)),
      )
      .orderBy(desc(rulesView.id))
      .limit(1),
  ).execute({ key: slug });
  return row;
}

/** The rule that reports problems of strandline itself. */
export async function readSystemRule(db: Orm): Promise<RuleRow> {
  const rule = await readRule(db, SYSTEM_RULE);
  if (rule === undefined)
    throw new Error(`the rule ${SYSTEM_RULE} does not exist, although migrations create it`);
  return rule;
}

/** The names of rules by slug, including removed ones. */
export async function readRuleNames(
  { orm }: Orm,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (slugs.length === 0) return new Map();
  const { slug, name, id } = rulesView;
  const rows = await orm
    .select({ slug, name })
    .from(rulesView)
    .where(inArray(slug, [...new Set(slugs)]))
    .orderBy(asc(id));
  return new Map(rows.map((row) => [row.slug, row.name]));
}

/** What the messages of a rule are about, even of a removed one; of everything if no rule is named. @throws Refused `not_found` */
export async function findMessageScope(
  db: Orm,
  slug: string | undefined,
): Promise<Pick<DataScope, 'topic' | 'search'>> {
  if (slug === undefined) return {};
  const rule = await readRule(db, slug, { removed: true });
  if (rule === undefined) throw createNotFound('rule', slug);
  return { topic: rule.topic ?? undefined, search: rule.search ?? undefined };
}

/**
 * Rules by slug. @param filter.topic includes rules of its searches @param filter.after only those after this slug
 */
export async function readRules(
  { orm }: Orm,
  filter: DataScope & { after?: string | undefined; limit: number },
): Promise<RuleRow[]> {
  const view = rulesView;
  const { topic, search, after, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        isNull(view.archived_at),
        equals(view, { topic, search }),
        after === undefined ? undefined : gt(view.slug, after),
      ),
    )
    .orderBy(asc(view.slug))
    .limit(limit);
}

export async function readChannel({ orm }: Orm, slug: string): Promise<ChannelRow | undefined> {
  const channels = channelsView;
  const [row] = await orm
    .select()
    .from(channels)
    .where(and(eq(channels.slug, slug), isNull(channels.archived_at)))
    .limit(1);
  return row;
}

/** Channels by slug. */
export async function readChannels(
  { orm }: Orm,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<ChannelRow[]> {
  const channels = channelsView;
  return orm
    .select()
    .from(channels)
    .where(and(isNull(channels.archived_at), after === undefined ? undefined : gt(channels.slug, after)))
    .orderBy(asc(channels.slug))
    .limit(limit);
}

/** Deliveries, newest first. @param filter.before only those with a smaller ID */
export async function readDeliveries(
  { orm }: Orm,
  filter: {
    channel?: string | undefined;
    rule?: string | undefined;
    state?: DeliveryState | undefined;
    before?: Id | undefined;
    limit: number;
  },
): Promise<DeliveryRow[]> {
  const view = deliveriesView;
  const { channel, rule, state, before, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(equals(view, { channel, rule, state }), before === undefined ? undefined : lt(view.id, before)),
    )
    .orderBy(desc(view.id))
    .limit(limit);
}

/**
 * A delivery with its body (`null` while gathering, after an author in it is forgotten, and after `MESSAGE_DAYS`) and
 * the last response of its receiver.
 */
export type DeliveryDetail = DeliveryRow & { body: string | null; answer: string | null };

/** @param idOrMessageId its ID, or the ID of its message */
export async function readDelivery(
  db: Database,
  idOrMessageId: Id | string,
): Promise<DeliveryDetail | undefined> {
  const column = typeof idOrMessageId === 'string' ? 'message_id' : 'id';
  const [row] = await prepareOnce(db.orm, `delivery_by_${column}`, () =>
    db.orm
      .select()
      .from(deliveriesView)
      .where(eq(deliveriesView[column], sql.placeholder('key'))),
  ).execute({ key: idOrMessageId });
  if (row === undefined) return undefined;
  const { rows } = await execute<{ body: string | null; answer: string | null }>(
    db.pool,
    statement`SELECT body, answer FROM strandline.deliveries WHERE id = ${row.id}`,
  );
  return { ...row, body: rows[0]?.body ?? null, answer: rows[0]?.answer ?? null };
}

/**
 * Problems of strandline itself, the newest first.
 * @param filter.open true: only those that last; false: only those that ended @param filter.before only those with a smaller ID
 */
export async function readSystemEventRows(
  { orm }: Orm,
  filter: {
    open?: boolean | undefined;
    kind?: SystemEventKind | undefined;
    before?: Id | undefined;
    limit: number;
  },
): Promise<SystemEventRow[]> {
  const view = systemEventsView;
  const { open, kind, before, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        equals(view, { kind }),
        open === undefined ? undefined : open ? isNull(view.until) : isNotNull(view.until),
        before === undefined ? undefined : lt(view.id, before),
      ),
    )
    .orderBy(desc(view.id))
    .limit(limit);
}
