/** Inserts late copies of posts and authors into their versions. */
import { hashFoldedText } from '../../model/copies.ts';
import { groupBy } from '../../lib/group-by.ts';
import { addToHistory } from '../../model/history.ts';
import { identifyPost, type OwnLinkRule } from '../../model/links/link-identity.ts';
import { type Id, type Transaction, type Columns, typedColumns } from '../db/database.ts';
import { AUTHOR_OF_ROW, contentRowSql, COUNTED_NAMES, type Kind, VERSION_COLUMNS } from './facts-sql.ts';
import {
  compareRows,
  isSame,
  type JsonRow,
  type LateCopy,
  readMentions,
  type Row,
  type RowChange,
  toJson,
  toRow,
  writeChanges,
} from './late-history.ts';
import { writeContentRows } from './save-rows.ts';

const S = 'strandline';

/** An existing post that a response changed, and when that was received. */
export type ChangedPost = { id: Id; at: Date };
/** What an existing post was recognized by before its address or text may have changed ({@link CopyKeys}). */
export type FormerKeys = { id: Id; key: string | null; textKey: Id | null };
/** `edited`: existing posts of which a counted member changed, with the time of the response. */
type LateContent = { edited: ChangedPost[]; renamed: FormerKeys[] };

/**
 * Inserts content into the versions of authors and posts.
 * @returns what changed of posts
 */
export async function saveLateContent(
  tx: Transaction,
  late: Record<Kind, readonly LateCopy[]>,
  rules: readonly OwnLinkRule[],
): Promise<LateContent> {
  await insertVersions(tx, 'author', late.author, rules);
  return insertVersions(tx, 'post', late.post, rules);
}

/** In the order of the save. $1 rows. */
const lockContentSql = (kind: Kind) => `
SELECT FROM ${S}.${kind}s k JOIN json_to_recordset($1::json) AS r(service_id bigint, external_id text) USING (service_id, external_id)
ORDER BY service_id, external_id FOR NO KEY UPDATE OF k`;

/** The copies as rows of a version, and what is stored about their items. $1 rows. */
const readContentSql = (kind: Kind) => `
SELECT r.n, k.id, to_jsonb(r)${kind === 'post' ? ` || jsonb_build_object('author_id', w.author_id)` : ''} AS said, to_jsonb(k) AS stored,
  k.content_hash, k.partial_hash,
  (SELECT jsonb_agg(to_jsonb(v) ORDER BY observed_at) FROM ${S}.${kind}_versions v WHERE ${kind}_id = k.id) AS versions
FROM json_to_recordset($1::json) AS r(${contentRowSql(kind)})
${kind === 'post' ? AUTHOR_OF_ROW : ''}
CROSS JOIN LATERAL (SELECT * FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0) k
ORDER BY k.id, r.observed_at`;

/** $1 rows: items with the newest values. */
function updateContentSql(kind: Kind): string {
  const set = Object.keys(VERSION_COLUMNS[kind]).map((name) =>
    name === 'text' ? `text = coalesce(r.text, '')` : `${name} = r.${name}`,
  );
  return `
UPDATE ${S}.${kind}s k SET first_seen_at = least(k.first_seen_at, r.first_seen_at), observed_at = r.observed_at,
  run_id = r.run_id, is_partial = r.is_partial, content_hash = r.content_hash, partial_hash = r.partial_hash, ${kind === 'post' ? 'key = r.key, text_key = r.text_key, ' : ''}${set.join(', ')}
FROM json_to_recordset($1::json) AS r(id bigint, key text, text_key bigint, first_seen_at timestamptz, content_hash bigint, partial_hash bigint,
  ${typedColumns(ORIGIN_COLUMNS, VERSION_COLUMNS[kind])})
WHERE k.id = r.id`;
}

const ORIGIN_COLUMNS: Columns = { observed_at: 'timestamptz', run_id: 'bigint', is_partial: 'boolean' };

function identifyStored(
  copy: LateCopy | undefined,
  url: unknown,
  rules: readonly OwnLinkRule[],
): string | null {
  if (copy === undefined) return null;
  return identifyPost({ ...copy.item, url: typeof url === 'string' ? url : null }, rules);
}

const readText = (value: unknown) => (typeof value === 'string' ? value : null);
const keyOfText = (text: unknown) => (typeof text === 'string' ? hashFoldedText(text) : null);

type ContentRow = {
  n: number;
  id: Id;
  said: JsonRow;
  stored: JsonRow;
  content_hash: Id | null;
  partial_hash: Id | null;
  versions: JsonRow[] | null;
};

async function insertVersions(
  tx: Transaction,
  kind: Kind,
  late: readonly LateCopy[],
  rules: readonly OwnLinkRule[],
): Promise<LateContent> {
  const [edited, renamed]: [ChangedPost[], FormerKeys[]] = [[], []];
  if (late.length === 0) return { edited, renamed };
  const json = writeContentRows(late, null);
  await tx.query(lockContentSql(kind), [json]);
  const { rows: read } = await tx.query<ContentRow>(readContentSql(kind), [json]);
  const names = Object.keys(VERSION_COLUMNS[kind]);
  const mentions = await readMentions(tx, kind, names, late, [...new Set(read.map(({ id }) => id))]);
  const [changes, updates]: [RowChange[], JsonRow[]] = [[], []];
  for (const [id, copies] of groupBy(read, (row) => row.id)) {
    const [first] = copies;
    const stored = (first.versions ?? [first.stored]).map((row) => toRow(row, names));
    const added = copies.map(({ said }) => toRow(said, names));
    const seen = mentions.get(id) ?? [];
    const { rows, latest } = addToHistory<Row>({ stored, confirmations: seen }, added, { keepsFirst: true });
    const now = Object.fromEntries([...latest].map(([name, { value }]) => [name, value]));
    const before = toRow(first.stored, names).values;
    const isChanged = names.some((name) => !isSame(before[name], now[name]));
    const hashOf = (isPartial: boolean) => {
      const i = added.findLastIndex((copy) => copy.isPartial === isPartial);
      const copy = added[i];
      const former = isPartial ? first.partial_hash : first.content_hash;
      if (copy === undefined) return former;
      const isNewest = ![...rows, ...seen].some((row) => row.isPartial === isPartial && row.at > copy.at);
      // A former hash may be of content that is outdated now.
      return isNewest ? late[copies[i]?.n ?? 0]?.now.hash : isChanged ? null : former;
    };
    changes.push(...compareRows(id, first.versions === null ? [] : stored, rows.length > 1 ? rows : []));
    updates.push({
      ...toJson(id, { ...(rows.at(-1) ?? added[0]), values: now }),
      is_partial: [...latest.values()].some(({ isPartial }) => isPartial),
      first_seen_at: new Date(added[0]?.at ?? 0),
      key: identifyStored(late[copies[0].n], now['url'], rules),
      text_key: keyOfText(now['text'])?.toString(),
      content_hash: hashOf(false)?.toString(),
      partial_hash: hashOf(true)?.toString(),
    });
    if (kind === 'post' && COUNTED_NAMES.some((name) => !isSame(before[name], now[name])))
      edited.push({ id, at: new Date(added[0]?.at ?? 0) });
    if (kind === 'post' && ['text', 'url'].some((name) => !isSame(before[name], now[name])))
      renamed.push({ id, key: readText(first.stored['key']), textKey: keyOfText(before['text']) });
  }
  await writeChanges(tx, `${kind}_versions`, { ...ORIGIN_COLUMNS, ...VERSION_COLUMNS[kind] }, changes);
  await tx.query(updateContentSql(kind), [JSON.stringify(updates)]);
  return { edited, renamed };
}
