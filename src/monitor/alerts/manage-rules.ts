/** Creates, edits, pauses and removes rules. Each change locks the rows of its channels, as rule evaluation does. */
import { createNotFound, Refused } from '../../model/errors.ts';
import { diffFields, recordCreation, recordAudit } from '../../store/access/audit-entries.ts';
import { CHANGE_RECORDED, STATE_AFTER, type StateChange } from '../../store/topics/topics.ts';
import {
  type Id,
  inTransaction,
  createOrm,
  type Queryable,
  type Transaction,
  violatesConstraint,
} from '../../store/db/database.ts';
import { readRule, type RuleRow } from '../../store/alerts/alert-queries.ts';
import { type Channel, lockChannels, lockRuleChannels } from '../../store/alerts/channel-rows.ts';
import { cancelOpenDeliveries } from '../../store/alerts/delivery-rows.ts';
import { reconsiderWaiting } from '../../store/alerts/gathering-rows.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import {
  archiveRule,
  findRule,
  insertRule,
  lockRule,
  type Rule,
  type RuleSettings,
  setRuleChannels,
  setRuleState,
  updateRule,
} from '../../store/alerts/rule-rows.ts';
import type { ActingContext, Context } from '../context.ts';
import { createOrReplace, type Put, type PutOptions } from '../put.ts';
import { requireSearch, requireTopic } from '../topics/find-by-slug.ts';
import { catchUpWithStories } from '../../store/stories/follow-stories.ts';
import { evaluateAllPending } from './rule-evaluation.ts';
import { enqueueChannels } from './enqueue-channels.ts';
import { readPreset } from './rule-presets.ts';
import { chooseDefaults, type EditedRule, type NewRule } from './rule-shapes.ts';
import { assertNewName, assertRemovable, assertSystemScope } from './system-rule.ts';

/**
 * Creates a rule. It reports discoveries made from now on.
 * @throws Refused `not_found` for a topic, search or channel, `conflict` if the slug is taken
 */
export async function createRule(ctx: ActingContext, { slug, ...written }: NewRule): Promise<RuleRow> {
  assertNewName(slug);
  try {
    await inTransaction(ctx.db, async (tx) => {
      const channels = await lockNamedChannels(tx, written.channels);
      const after = await readLastDiscoveryId(tx);
      const id = await insertRule(tx, { after, ...(await completeRule(tx, slug, written)) }, ctx.clock.now());
      await setRuleChannels(tx, id, listChannelIds(channels), after);
      const changes = recordCreation(await readEditableRule(tx, slug));
      await recordAudit(tx, ctx, { action: 'rule.created', subject: slug, changes });
    });
  } catch (error) {
    if (violatesConstraint(error, 'rules_slug_key'))
      throw new Refused('conflict', `the rule "${slug}" already exists; choose another slug`);
    throw error;
  }
  return findRuleRow(ctx, slug);
}

/** A new rule as it is stored, with defaults for what is not given. @throws Refused `not_found` for a topic or search */
export async function completeRule(
  db: Queryable,
  slug: string,
  written: Omit<NewRule, 'slug' | 'channels'>,
): Promise<RuleSettings & { slug: string }> {
  return {
    slug,
    name: slug,
    topic_id: null,
    search_id: null,
    filter: '',
    digest: null,
    growth: [],
    ...chooseDefaults(written),
    ...listSettings(written),
    ...(await resolveScope(db, written)),
  };
}

/**
 * Edits a rule. Discoveries made before are evaluated by the previous rule.
 * @throws Refused `not_found` @throws InvalidInput for what the rule `system` reports
 */
export async function editRule(ctx: ActingContext, slug: string, written: EditedRule): Promise<RuleRow> {
  assertSystemScope(slug, written);
  return changeSettings(ctx, slug, written.channels, async (tx, rule, before) => ({
    ...rule,
    ...(written.preset === undefined ? {} : readPreset(written.preset)),
    ...listSettings(written),
    ...(await resolveScope(tx, written, before)),
  }));
}

/**
 * Creates a rule, or replaces its settings and channels: what is not given gets the default of a new rule. Its state stays.
 * @throws as {@link createRule}; Refused `conflict` for the rule `system`
 */
export async function putRule(
  ctx: ActingContext,
  slug: string,
  written: Omit<NewRule, 'slug'>,
  options: PutOptions,
): Promise<Put<RuleRow>> {
  const { channels, ...settings } = written;
  assertNewName(slug);
  return createOrReplace(
    {
      what: `the rule "${slug}"`,
      exists: async () => (await findRule(ctx.db.pool, slug)) !== null,
      create: () => createRule(ctx, { slug, ...written }),
      replace: () => changeSettings(ctx, slug, channels, (tx) => completeRule(tx, slug, settings)),
    },
    options,
  );
}

/** @param change the settings that a rule gets, from those that it has */
async function changeSettings(
  ctx: ActingContext,
  slug: string,
  channelSlugs: readonly string[] | undefined,
  change: (tx: Transaction, rule: Rule, before: RuleScope) => Promise<RuleSettings>,
): Promise<RuleRow> {
  await catchUpWithStories(ctx.db);
  const affected = await inTransaction(ctx.db, async (tx) => {
    // If two edits deadlock on each other's channels, Postgres aborts one, and it is retried.
    const wanted = channelSlugs === undefined ? undefined : await lockNamedChannels(tx, channelSlugs);
    const { rule, channels } = await lockRuleWithChannels(ctx, tx, slug);
    const before = await readEditableRule(tx, slug);
    const now = ctx.clock.now();
    await updateRule(tx, rule.id, await change(tx, rule, before));
    await reconsiderWaiting(tx, rule.id, now);
    if (wanted !== undefined) {
      await setRuleChannels(tx, rule.id, listChannelIds(wanted), await readLastDiscoveryId(tx));
      const reason = 'the rule no longer notifies this channel';
      await cancelOpenDeliveries(tx, 'rule', rule.id, reason, listChannelIds(wanted));
    }
    const changes = diffFields(before, await readEditableRule(tx, slug));
    if (Object.keys(changes).length > 0)
      await recordAudit(tx, ctx, { action: 'rule.updated', subject: slug, changes });
    return wanted ?? channels;
  });
  await enqueueChannels(ctx, listChannelIds(affected));
  return findRuleRow(ctx, slug);
}

/**
 * Pause: discoveries made in the meantime are never reported; messages from before are still sent. Resume: the rule reports
 * discoveries made from then on. Remove: messages that have not been sent are cancelled; past deliveries stay.
 * @returns the rule as it is then; a removed one as it was, with the time
 * @throws Refused `not_found`, or `conflict` if the rule `system` is removed
 */
export async function changeRule(ctx: ActingContext, slug: string, change: StateChange): Promise<RuleRow> {
  if (change === 'remove') assertRemovable(slug);
  const before = change === 'remove' ? await findRuleRow(ctx, slug) : null;
  await catchUpWithStories(ctx.db);
  const affected = await inTransaction(ctx.db, async (tx) => {
    const { rule, channels } = await lockRuleWithChannels(ctx, tx, slug);
    if (change === 'remove' || rule.state !== STATE_AFTER[change])
      await recordAudit(tx, ctx, { action: `rule.${CHANGE_RECORDED[change]}`, subject: slug });
    const now = ctx.clock.now();
    if (change === 'remove') {
      await cancelOpenDeliveries(tx, 'rule', rule.id, 'the rule was removed');
      await archiveRule(tx, rule.id, now);
    }
    if (change === 'pause' && rule.state !== 'paused')
      await setRuleState(tx, rule.id, { state: 'paused', after: null, now });
    if (change === 'resume' && rule.state !== 'active')
      await setRuleState(tx, rule.id, { state: 'active', after: await readLastDiscoveryId(tx), now });
    return channels;
  });
  await enqueueChannels(ctx, listChannelIds(affected));
  return before === null ? findRuleRow(ctx, slug) : { ...before, archived_at: ctx.clock.now() };
}

/** Locks the channels of a rule, evaluates pending discoveries by the rule as it is, then locks the rule. */
async function lockRuleWithChannels(
  ctx: Context,
  tx: Transaction,
  slug: string,
): Promise<{ rule: Rule; channels: Channel[] }> {
  const known = await findRule(tx, slug);
  if (known === null) throw createNotFound('rule', slug);
  const channels = await lockRuleChannels(tx, known.id);
  for (const channel of channels) await evaluateAllPending(ctx, tx, channel);
  const rule = await lockRule(tx, slug);
  if (rule === null) throw createNotFound('rule', slug);
  return { rule, channels };
}

/** The editable members of a rule, as the transaction sees them. */
async function readEditableRule(tx: Transaction, slug: string) {
  const row = await readRule({ orm: createOrm(tx) }, slug);
  if (row === undefined) throw createNotFound('rule', slug);
  const {
    id: _id,
    slug: _slug,
    state: _state,
    state_since: _since,
    last_made_at: _last,
    created_at: _created,
    archived_at: _archived,
    digest_due_at: _due,
    muted_until: _muted,
    ...editable
  } = row;
  return editable;
}

/** The columns that a written rule sets: columns of the same names, and those of kinds and cooldown. */
function listSettings({
  on,
  cooldown,
  preset: _preset,
  topic: _topic,
  search: _search,
  channels: _channels,
  ...same
}: Omit<EditedRule, 'channels'> & { channels?: unknown; slug?: unknown }): Partial<RuleSettings> {
  const settings = { ...same, kinds: on, cooldown_seconds: cooldown };
  // Without members that are undefined, which would replace what the rule has.
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** @throws Refused `not_found` */
export async function findRuleRow(ctx: Pick<Context, 'db'>, slug: string): Promise<RuleRow> {
  const row = await readRule(ctx.db, slug);
  if (row === undefined) throw createNotFound('rule', slug);
  return row;
}

async function lockNamedChannels(tx: Transaction, slugs: readonly string[]): Promise<Channel[]> {
  const channels = await lockChannels(tx, slugs);
  const missing = slugs.find((slug) => !channels.some((channel) => channel.slug === slug));
  if (missing !== undefined) throw createNotFound('channel', missing);
  return channels;
}

type RuleScope = Pick<EditedRule, 'topic' | 'search'>;

/**
 * The scope of a rule: a topic, a search, or null for all; left out where not given.
 * @param current the scope that it has, which can be given again even if it was removed
 */
async function resolveScope(
  tx: Queryable,
  { topic, search }: RuleScope,
  current: RuleScope = {},
): Promise<{ topic_id?: Id | null; search_id?: Id | null }> {
  if (typeof topic === 'string') {
    if (topic === current.topic && current.search === null) return {};
    return { topic_id: (await requireTopic(tx, topic)).id, search_id: null };
  }
  if (typeof search === 'string') {
    if (search === current.search) return {};
    return { topic_id: null, search_id: (await requireSearch(tx, search)).id };
  }
  return { ...(topic === null ? { topic_id: null } : {}), ...(search === null ? { search_id: null } : {}) };
}

function listChannelIds(channels: readonly Channel[]): Id[] {
  return channels.map(({ id }) => id);
}
