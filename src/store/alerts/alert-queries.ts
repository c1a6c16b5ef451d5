/** Rules, channels and deliveries for display, without URLs and secrets. */
import { and, asc, desc, eq, gt, isNull, lt, type SQL } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import {
  channelsView as channelsViews,
  deliveriesView as deliveriesViews,
  type DeliveryState,
  rulesView as rulesViews,
} from '../schema/analytics/alert-views.ts';

const channelsView = channelsViews.real;
const deliveriesView = deliveriesViews.real;
const rulesView = rulesViews.real;

export type RuleRow = typeof rulesView.$inferSelect;
export type ChannelRow = typeof channelsView.$inferSelect;
export type DeliveryRow = typeof deliveriesView.$inferSelect;

type Orm = Pick<Database, 'orm'>;

/** The rule with this slug, unless removed. */
export async function readRule({ orm }: Orm, slug: string): Promise<RuleRow | undefined> {
  const [row] = await orm
    .select()
    .from(rulesView)
    .where(and(eq(rulesView.slug, slug), isNull(rulesView.archived_at)))
    .limit(1);
  return row;
}

/**
 * Rules by slug. @param filter.topic includes rules of its searches @param filter.after only those after this slug
 */
export async function readRules(
  { orm }: Orm,
  filter: {
    topic?: string | undefined;
    search?: string | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<RuleRow[]> {
  const wanted: (SQL | undefined)[] = [
    isNull(rulesView.archived_at),
    filter.topic === undefined ? undefined : eq(rulesView.topic, filter.topic),
    filter.search === undefined ? undefined : eq(rulesView.search, filter.search),
    filter.after === undefined ? undefined : gt(rulesView.slug, filter.after),
  ];
  return orm
    .select()
    .from(rulesView)
    .where(and(...wanted))
    .orderBy(asc(rulesView.slug))
    .limit(filter.limit);
}

export async function readChannel({ orm }: Orm, slug: string): Promise<ChannelRow | undefined> {
  const [row] = await orm
    .select()
    .from(channelsView)
    .where(and(eq(channelsView.slug, slug), isNull(channelsView.archived_at)))
    .limit(1);
  return row;
}

/** Channels by slug. */
export async function readChannels(
  { orm }: Orm,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<ChannelRow[]> {
  return orm
    .select()
    .from(channelsView)
    .where(
      and(isNull(channelsView.archived_at), after === undefined ? undefined : gt(channelsView.slug, after)),
    )
    .orderBy(asc(channelsView.slug))
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
  const wanted: (SQL | undefined)[] = [
    filter.channel === undefined ? undefined : eq(deliveriesView.channel, filter.channel),
    filter.rule === undefined ? undefined : eq(deliveriesView.rule, filter.rule),
    filter.state === undefined ? undefined : eq(deliveriesView.state, filter.state),
    filter.before === undefined ? undefined : lt(deliveriesView.id, filter.before),
  ];
  return orm
    .select()
    .from(deliveriesView)
    .where(and(...wanted))
    .orderBy(desc(deliveriesView.id))
    .limit(filter.limit);
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
  const named =
    typeof idOrMessageId === 'string'
      ? eq(deliveriesView.message_id, idOrMessageId)
      : eq(deliveriesView.id, idOrMessageId);
  const [row] = await db.orm.select().from(deliveriesView).where(named).limit(1);
  if (row === undefined) return undefined;
  const { rows } = await db.pool.query<{ body: string | null; answer: string | null }>(
    'SELECT body, answer FROM strandline.deliveries WHERE id = $1',
    [row.id],
  );
  return { ...row, body: rows[0]?.body ?? null, answer: rows[0]?.answer ?? null };
}
