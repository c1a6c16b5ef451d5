/** The feed for rules: discoveries after a cursor, each with its item. */
import { isShown } from '../queries/data-scope.ts';
import type { AnswerChange } from '../../model/statements/answer-change.ts';
import { engagementSql, MAIN_COUNTERS, type MainCounter } from '../../model/counters.ts';
import {
  type Copies,
  DISCOVERIES_OF_THING,
  itemsOfDiscoveries,
  ONE_COPY,
  readCopies,
} from '../stories/one-thing.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import type { links, posts } from '../schema/post-tables.ts';
import { readAnswerChanges } from '../queries/answer-changes.ts';
import { LINK_TITLE_SQL, NAMED_POST_SQL } from '../queries/named-posts.ts';
import { POST_KEY_SQL } from '../save/topic-items.ts';
import { type Judged, readVerdicts } from '../judgements/verdicts.ts';
import { LAST_DECIDED } from '../stories/write-stories.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { NewGrowth } from '../derive/growth-reports.ts';
import type { NewNameChange, NewSpike, NewTrendState } from '../derive/trend-reports.ts';

export type FeedPost = Record<MainCounter, number | null> &
  Pick<typeof posts.$inferSelect, 'id' | 'external_id' | 'url' | 'text' | 'lang' | 'created_at'> & {
    author_username: string | null;
    author_name: string | null;
    hashtags: string[];
  };

export type FeedLink = Pick<
  typeof links.$inferSelect,
  'id' | 'url' | 'site' | 'title' | 'snippet' | 'published_at'
> & {
  /** The post at its address, if that is known. */
  post: FeedPost | null;
};

/** A message has the reason as a sentence. */
type ReasonColumn = Extract<keyof NewSpike & keyof NewTrendState, `reason${string}`>;

export type FeedSpike = { id: Id } & Omit<
  NewSpike,
  | 'search_id'
  | 'run_id'
  | 'weekday_usual'
  | 'top_post_id'
  | 'top_share'
  | 'top_author_id'
  | 'author_share'
  | 'tz'
  | ReasonColumn
  | 'n_without_reason'
  | 'window_authors'
  | 'distinct_names'
  | 'at'
>;

export type FeedTrend = { id: Id } & Omit<
  NewTrendState,
  'search_id' | 'run_id' | 'compared_since' | 'tz' | ReasonColumn | 'at'
>;

/** A name that entered answers, or left them. */
export type FeedName = { id: Id } & Omit<NewNameChange, 'search_id' | 'run_id' | 'name_id' | 'at'>;

/** A completion by what changed in it. */
export type FeedAnswer = { id: Id; changes: AnswerChange[] };

/** A post that grew as a rule asks. */
export type FeedGrowth = { id: Id } & Omit<NewGrowth, 'search_id' | 'run_id' | 'post_id' | 'at'> & {
    post: FeedPost;
  };

/** A discovery with its item. */
export type FeedEntry = {
  id: Id;
  at: Date;
  baseline: boolean;
  run_id: Id;
  search_id: Id;
  search: string;
  topic_id: Id;
  topic: string;
  service_kind: ServiceKind;
  first_in_topic: boolean;
  /**
   * True if the discovery is the first of its item in the topic. Otherwise true if no earlier discovery of the topic found the
   * item as the same kind (post or link), and the first discovery was neither in a baseline nor late. So a rule on posts reports
   * a post whose item was first reported as a link; a channel gets it once.
   */
  first_of_kind: boolean;
  /** Key of its item in the topic; null for completions, spikes, trends and names. */
  key: string | null;
  /** Whether its topic has a goal. */
  has_goal: boolean;
  /** In a message: what is judged of it; absent if its topic has no goal. */
  judged?: Judged;
  /** How often its topic has it, in a message. */
  copies?: Copies;
} & (
  | { kind: 'post'; post: FeedPost }
  | { kind: 'link'; link: FeedLink }
  | { kind: 'spike'; spike: FeedSpike }
  | { kind: 'trend'; trend: FeedTrend }
  | { kind: 'name'; name: FeedName }
  | { kind: 'completion'; answer: FeedAnswer }
  | { kind: 'growth'; growth: FeedGrowth }
);

/** What `isCovered` decides by, before the item is read. */
export type ScopedEntry = Pick<
  FeedEntry,
  'id' | 'kind' | 'baseline' | 'search_id' | 'topic_id' | 'service_kind'
>;

type EntryRow = Omit<FeedEntry, 'kind'> & { kind: FeedEntry['kind']; thing: Id; late: boolean };

/** Discoveries `d` of searches `s` in topics `t`, before their items are attached. */
export const SELECT_ENTRIES = statement`
SELECT d.id, d.at, d.baseline, d.late, d.kind, d.thing, d.run_id, d.search_id, s.slug AS search, s.topic_id, t.slug AS topic,
  v.kind AS service_kind, t.goal IS NOT NULL AS has_goal, d.first_in_topic, k.key,
  d.first_in_topic OR NOT EXISTS (
    SELECT FROM (
      SELECT 'post' AS kind, id AS thing FROM strandline.posts WHERE key = k.key
      UNION ALL SELECT 'link', id FROM strandline.links WHERE canonical = k.key
    ) i
    JOIN strandline.discoveries o ON o.kind = i.kind AND o.thing = i.thing AND o.id < d.id
    JOIN strandline.searches os ON os.id = o.search_id AND os.topic_id = s.topic_id
    WHERE (o.kind = d.kind AND NOT o.baseline) OR ((o.first_in_topic OR o.folded) AND (o.baseline OR o.late))
  ) AS first_of_kind
FROM strandline.discoveries d
JOIN strandline.searches s ON s.id = d.search_id
JOIN strandline.topics t ON t.id = s.topic_id
JOIN strandline.services v ON v.id = s.service_id
LEFT JOIN LATERAL (
  SELECT ${verbatim(POST_KEY_SQL)} AS key FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
  UNION ALL SELECT canonical FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
) k ON true`;

const selectPosts = (ids: readonly Id[]) => statement`
SELECT p.id, p.external_id, p.url, a.username AS author_username, a.name AS author_name,
  p.text, p.lang, coalesce(p.hashtags, '{}') AS hashtags, p.created_at,
  ${verbatim(MAIN_COUNTERS.map((counter) => `c.${counter}::float8 AS ${counter}`).join(', '))}
FROM strandline.posts p
LEFT JOIN strandline.authors a ON a.id = p.author_id
LEFT JOIN strandline.post_counters c ON c.post_id = p.id
WHERE p.id = ANY (${ids})`;

const selectLinks = (ids: readonly Id[]) => statement`
SELECT l.id, l.url, l.site, ${verbatim(LINK_TITLE_SQL)} AS title, l.snippet, l.published_at, ${verbatim(NAMED_POST_SQL)} AS post_id
FROM strandline.links l WHERE l.id = ANY (${ids})`;

const selectSpikes = (ids: readonly Id[]) => statement`
SELECT id, measure, sentence, window_start, window_end, n, lower_bound, coverage, usual, mean, sd, score, threshold, days, windows,
  sensitivity, provisional, only_by, why
FROM strandline.spikes WHERE id = ANY (${ids})`;

const selectTrends = (ids: readonly Id[]) => statement`
SELECT id, state, sentence, since, previous_state, previous_since, rate_before, rate, observed_hours, expected, score, threshold, days, why
FROM strandline.trend_states WHERE id = ANY (${ids})`;

const selectNames = (ids: readonly Id[]) => statement`
SELECT id, name, change, before, present, missing, sentence FROM strandline.name_changes WHERE id = ANY (${ids})`;

const selectGrowth = (ids: readonly Id[]) => statement`
SELECT id, post_id, condition, value, age_hours, usual, compared_with, sentence FROM strandline.growth_reports WHERE id = ANY (${ids})`;

/**
 * The next discoveries in commit order whose stories are decided, including baselines. Reads the items of wanted ones only.
 * @param limit of discoveries, wanted or not
 * @returns `last`: the last ID, wanted or not; null if there is none after the cursor. `more`: whether the limit was reached
 */
export async function readFeedAfter(
  tx: Queryable,
  cursor: Id,
  limit: number,
  isWanted: (entry: ScopedEntry) => boolean,
): Promise<{ found: FeedEntry[]; last: Id | null; more: boolean }> {
  const { rows } = await execute<ScopedEntry & { shown: boolean }>(
    tx,
    statement`SELECT d.id, d.kind, d.baseline, d.search_id, s.topic_id, v.kind AS service_kind, ${isShown('d')} AS shown
      FROM (
        SELECT * FROM strandline.discoveries WHERE id > ${cursor} AND id <= ${LAST_DECIDED} ORDER BY id LIMIT ${limit}
      ) d
      JOIN strandline.searches s ON s.id = d.search_id
      JOIN strandline.services v ON v.id = s.service_id
      ORDER BY d.id`,
  );
  const wanted = rows.filter((row) => row.shown && isWanted(row)).map(({ id }) => id);
  return { found: await readEntries(tx, wanted), last: rows.at(-1)?.id ?? null, more: rows.length === limit };
}

/** The discoveries of a message in feed order: those that matter most with their items, and the IDs and numbers of all. Without hidden ones. */
export async function readDeliveryEntries(
  tx: Queryable,
  deliveryId: Id,
  whole: number,
  now: Date,
): Promise<{ found: FeedEntry[]; ids: Id[]; counts: Partial<Record<FeedEntry['kind'], number>> }> {
  const { rows } = await execute<{ id: Id; kind: FeedEntry['kind'] }>(
    tx,
    statement`SELECT x.discovery_id AS id, d.kind FROM strandline.delivery_discoveries x
      JOIN strandline.discoveries d ON d.id = x.discovery_id WHERE x.delivery_id = ${deliveryId} AND ${isShown('d')} ORDER BY 1`,
  );
  const ids = rows.map(({ id }) => id);
  const counts: Partial<Record<FeedEntry['kind'], number>> = {};
  for (const { kind } of rows) counts[kind] = (counts[kind] ?? 0) + 1;
  // Posts by engagement and links in turn, after all other kinds.
  const best =
    ids.length <= whole
      ? ids
      : await selectIds(
          tx,
          statement`SELECT id FROM (
              SELECT x.discovery_id AS id, d.kind IN ('post', 'link') AS is_item,
                row_number() OVER (PARTITION BY d.kind ORDER BY coalesce(${verbatim(engagementSql('c.'))}, 0) DESC, x.discovery_id) AS place
              FROM strandline.delivery_discoveries x
              JOIN strandline.discoveries d ON d.id = x.discovery_id
              LEFT JOIN strandline.post_counters c ON d.kind = 'post' AND c.post_id = d.thing
              WHERE x.delivery_id = ${deliveryId} AND ${isShown('d')}
            ) b ORDER BY is_item, place, id LIMIT ${whole}`,
        );
  const found = await readEntries(tx, best);
  const copies = await readEntryCopies(tx, found);
  const judged = await readVerdicts(
    tx,
    found.flatMap(({ id, has_goal }) => (has_goal ? [id] : [])),
    now,
  );
  return {
    found: found.map((entry) => {
      const verdict = judged.get(entry.id);
      const known = { ...entry, copies: copies.get(entry.id) ?? ONE_COPY };
      return verdict === undefined ? known : { ...known, judged: verdict };
    }),
    ids,
    counts,
  };
}

/** Discoveries by their IDs, in feed order; without late ones. */
export async function readEntries(tx: Queryable, ids: readonly Id[]): Promise<FeedEntry[]> {
  if (ids.length === 0) return [];
  const { rows } = await execute<EntryRow>(
    tx,
    statement`${SELECT_ENTRIES} WHERE d.id = ANY (${ids}) ORDER BY d.id`,
  );
  return attachItems(tx, rows);
}

/**
 * Attaches items. Each discovery has one, because forgetting an item deletes its discovery, except for completions that by
 * today's rules say nothing new. Late discoveries are omitted, because rules have already seen newer ones of the search.
 */
async function attachItems(tx: Queryable, rows: readonly EntryRow[]): Promise<FeedEntry[]> {
  const idsOf = (kind: FeedEntry['kind']) =>
    rows.filter((row) => row.kind === kind).map(({ thing }) => thing);
  const posts = await indexById<FeedPost>(tx, selectPosts, idsOf('post'));
  type LinkRow = Omit<FeedLink, 'post'> & { post_id: Id | null };
  const linkRows = await indexById<LinkRow>(tx, selectLinks, idsOf('link'));
  const namedIds = [...linkRows.values()].flatMap(({ post_id }) => post_id ?? []);
  const named = await indexById<FeedPost>(tx, selectPosts, namedIds);
  const links = new Map(
    [...linkRows.values()].map(({ post_id, ...link }): [Id, FeedLink] => [
      link.id,
      { ...link, post: post_id === null ? null : (named.get(post_id) ?? null) },
    ]),
  );
  const spikes = await indexById<FeedSpike>(tx, selectSpikes, idsOf('spike'));
  const trends = await indexById<FeedTrend>(tx, selectTrends, idsOf('trend'));
  const names = await indexById<FeedName>(tx, selectNames, idsOf('name'));
  type GrowthRow = Omit<FeedGrowth, 'post'> & { post_id: Id };
  const growthRows = await indexById<GrowthRow>(tx, selectGrowth, idsOf('growth'));
  const grown = await indexById<FeedPost>(
    tx,
    selectPosts,
    [...growthRows.values()].map(({ post_id }) => post_id),
  );
  const answers = await readAnswerChanges(tx, idsOf('completion'));
  return rows.flatMap(({ thing, kind, late, ...row }): FeedEntry[] => {
    if (late) return [];
    const [post, link] = [posts.get(thing), links.get(thing)];
    const [spike, trend] = [spikes.get(thing), trends.get(thing)];
    if (kind === 'post') return post === undefined ? [] : [{ ...row, kind, post }];
    if (kind === 'link') return link === undefined ? [] : [{ ...row, kind, link }];
    if (kind === 'spike') return spike === undefined ? [] : [{ ...row, kind, spike }];
    if (kind === 'trend') return trend === undefined ? [] : [{ ...row, kind, trend }];
    if (kind === 'name') {
      const name = names.get(thing);
      return name === undefined ? [] : [{ ...row, kind, name }];
    }
    if (kind === 'growth') {
      const growthRow = growthRows.get(thing);
      const its = growthRow === undefined ? undefined : grown.get(growthRow.post_id);
      if (growthRow === undefined || its === undefined) return [];
      const { post_id: _post_id, ...growth } = growthRow;
      return [{ ...row, kind, growth: { ...growth, post: its } }];
    }
    const changes = answers.get(thing) ?? [];
    return changes.length === 0 ? [] : [{ ...row, kind, answer: { id: thing, changes } }];
  });
}

async function indexById<Row extends { id: Id }>(
  tx: Queryable,
  select: (ids: readonly Id[]) => Statement,
  ids: readonly Id[],
): Promise<Map<Id, Row>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<Row>(tx, select(ids));
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Leaves out what is in a message to the channel: each thing once per topic, whichever rule matched and whichever of its
 * members that was. The caller has locked the channel.
 */
export async function leaveOutSent(
  tx: Transaction,
  channelId: Id,
  entries: readonly FeedEntry[],
): Promise<FeedEntry[]> {
  const firsts = entries.filter(isFirstOfThing(await readEntryCopies(tx, entries)));
  const ids = firsts.flatMap(({ id, key }) => (key === null ? [] : [id]));
  if (ids.length === 0) return firsts;
  const sent = new Set(
    await selectIds(
      tx,
      statement`SELECT u.id FROM ${itemsOfDiscoveries(ids)} u
        WHERE EXISTS (
          SELECT FROM ${DISCOVERIES_OF_THING}
          JOIN strandline.delivery_discoveries c ON c.discovery_id = o.id AND c.channel_id = ${channelId}
          JOIN strandline.deliveries m ON m.id = c.delivery_id AND m.state <> 'cancelled'
        )`,
    ),
  );
  return firsts.filter(({ id }) => !sent.has(id));
}

/** How often topics have the posts and links among discoveries, by discovery. */
export function readEntryCopies(
  tx: Queryable,
  entries: readonly Pick<FeedEntry, 'id' | 'key'>[],
): Promise<Map<Id, Copies>> {
  return readCopies(
    tx,
    entries.flatMap(({ id, key }) => (key === null ? [] : [id])),
  );
}

/**
 * @param seen names of things that were passed before; added to
 * @returns a filter that passes each thing once; discoveries of anything else always
 */
export function isFirstOfThing(
  copies: ReadonlyMap<Id, Copies>,
  seen = new Set<string>(),
): (entry: Pick<FeedEntry, 'id' | 'topic_id' | 'key'>) => boolean {
  return ({ id, topic_id, key }) => {
    if (key === null) return true;
    const story = copies.get(id)?.story_id ?? null;
    const names = [`key ${topic_id} ${key}`, ...(story === null ? [] : [`story ${story}`])];
    const isFirst = !names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    return isFirst;
  };
}
