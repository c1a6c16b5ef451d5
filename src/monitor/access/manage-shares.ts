/** Creates, lists and revokes links to shared pages, and opens the one that a key names. */
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { cleanLine, cleanText } from '../../lib/text.ts';
import { DAY } from '../../lib/time.ts';
import { isKeyOf, keyIdOf, makeKey } from '../../platform/keys.ts';
import { nameActor, recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import { writeAddresses } from '../../store/access/share-subjects.ts';
import {
  closeShare,
  findShare,
  insertShare,
  readShare,
  readShares,
  type ShareRow,
  touchShare,
} from '../../store/access/shares.ts';
import { type Id, inTransaction } from '../../store/db/database.ts';
import type { ActingContext, Context } from '../context.ts';
import { bindAddress, EXPECTED_PAGE } from './share-pages.ts';

/** How long a link works, in days. */
const SPAN_DAYS = { '1d': 1, '7d': 7, '30d': 30 } as const;
export type ShareSpan = keyof typeof SPAN_DAYS;
export const SHARE_SPANS = Object.keys(SPAN_DAYS) as [ShareSpan, ...ShareSpan[]]; // its own keys

export const DEFAULT_SHARE_SPAN: ShareSpan = '7d';

/** UTF-16 code units. */
export const MAX_SHARE_NAME = 100;

/** A link with the current address of its page; null if the page is gone. */
export type Share = Omit<ShareRow, 'address'> & { address: string | null };

/** The path of a shared page. */
export function writeSharePath(key: string): string {
  return `/shared/${key}`;
}

/**
 * Creates a link to a page.
 * @param written.name default: what the page shows
 * @returns the link, and its key, which is shown once
 * @throws InvalidInput
 */
export async function createShare(
  ctx: ActingContext,
  written: { address: string; name?: string | undefined; expires_in: ShareSpan },
): Promise<{ share: Share; key: string }> {
  const name = cleanLine(written.name ?? '');
  const bound = await bindAddress(ctx, written.address);
  const problems: Problem[] = [];
  if (bound === undefined)
    problems.push({ path: 'address', given: written.address, expected: EXPECTED_PAGE });
  if (name.length > MAX_SHARE_NAME)
    problems.push({ path: 'name', given: name, expected: `at most ${MAX_SHARE_NAME} characters` });
  if (problems.length > 0 || bound === undefined) throw new InvalidInput(problems);
  const { key, id: prefix, hash } = makeKey('sh');
  const now = ctx.clock.now();
  const fields = {
    name: name === '' ? cleanText(cleanLine(bound.title), MAX_SHARE_NAME) : name,
    address: bound.address,
    expires_at: new Date(now.getTime() + SPAN_DAYS[written.expires_in] * DAY),
  };
  const created_by = nameActor(ctx.actor);
  const row = await inTransaction(ctx.db, async (tx) => {
    const inserted = await insertShare(tx, { ...fields, prefix, hash, created_by, created_at: now });
    await recordAudit(tx, ctx, { action: 'share.created', subject: prefix, changes: recordCreation(fields) });
    return inserted;
  });
  return { share: await addAddress(ctx, row), key };
}

/** Newest first, including revoked and expired ones. */
export async function listShares(
  { db }: Pick<Context, 'db'>,
  page: { limit: number; before?: Id | undefined },
): Promise<Share[]> {
  const rows = await readShares(db, page);
  const addresses = await writeAddresses(
    db,
    rows.map(({ address }) => address),
  );
  return rows.map((row, i) => ({ ...row, address: addresses[i] ?? null }));
}

/**
 * Revokes a link immediately. Revoking it again has no effect.
 * @param idOrKey its id; or, as text, its prefix, its key or the link
 * @throws Refused `not_found`
 */
export async function revokeShare(ctx: ActingContext, idOrKey: Id | string): Promise<Share> {
  const { id, prefix, name } = await requireShare(
    ctx,
    typeof idOrKey === 'string' ? readName(idOrKey) : idOrKey,
  );
  await inTransaction(ctx.db, async (tx) => {
    if (!(await closeShare(tx, id, ctx.clock.now()))) return;
    await recordAudit(tx, ctx, {
      action: 'share.revoked',
      subject: prefix,
      changes: { name: { before: name } },
    });
  });
  return addAddress(ctx, await requireShare(ctx, id));
}

/** A pasted link or key names its share. */
function readName(link: string): string {
  const [key = ''] = /sh_[0-9A-Za-z]+/.exec(link) ?? [];
  return keyIdOf(key, 'sh') ?? link;
}

async function requireShare({ db }: Pick<Context, 'db'>, named: Id | string): Promise<ShareRow> {
  const share = await readShare(db, named);
  if (share === undefined)
    throw new Refused('not_found', 'there is no such link; see: strandline shares list');
  return share;
}

async function addAddress({ db }: Pick<Context, 'db'>, row: ShareRow): Promise<Share> {
  const [address = null] = await writeAddresses(db, [row.address]);
  return { ...row, address };
}

/** Of a key that nobody has, so that an unknown key takes as much work as a known one. */
const NO_HASH = Buffer.alloc(32);
const NO_PREFIX = '';

/** Why a link no longer works; only its whole key reveals it. */
export type ClosedShare = 'revoked' | 'expired' | 'gone';

/** @returns undefined for any text that is no key of a link */
export async function openShare(
  ctx: Pick<Context, 'db' | 'clock'>,
  key: string,
): Promise<(Share & { address: string }) | ClosedShare | undefined> {
  const stored = await findShare(ctx.db, keyIdOf(key, 'sh') ?? NO_PREFIX);
  if (!isKeyOf(key, stored?.keyHash ?? NO_HASH) || stored === undefined) return undefined;
  const now = ctx.clock.now();
  if (stored.share.revoked_at !== null) return 'revoked';
  if (stored.share.expires_at <= now) return 'expired';
  const { address, ...share } = await addAddress(ctx, stored.share);
  if (address === null) return 'gone';
  await touchShare(ctx.db, share, now);
  return { ...share, address };
}
