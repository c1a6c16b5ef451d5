/** Saves an address of the dashboard under a name, and removes it. Everybody who may read sees all of them. */
import { cleanLine } from '../../lib/text.ts';
import { parseUrl } from '../../model/links/link.ts';
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { deleteSavedView, insertSavedView, type SavedView } from '../../store/access/saved-views.ts';
import { type Id, inTransaction } from '../../store/db/database.ts';
import type { ActingContext } from '../context.ts';

/** UTF-16 code units. */
export const MAX_VIEW_NAME = 60;
export const MAX_VIEW_ADDRESS = 2_000;

/** @throws InvalidInput; Refused `conflict` if another view has the name */
export async function saveView(
  ctx: ActingContext,
  view: { name: string; address: string },
): Promise<SavedView> {
  const name = view.name.trim();
  const address = readOwnAddress(view.address);
  const problems: Problem[] = [];
  if (name === '' || name.length > MAX_VIEW_NAME || cleanLine(name) !== name)
    problems.push({ path: 'name', given: view.name, expected: `1 to ${MAX_VIEW_NAME} characters` });
  if (address === undefined)
    problems.push({
      path: 'address',
      given: view.address,
      expected: 'the path of a page of this dashboard, such as /topics/ferry?range=7d',
    });
  if (problems.length > 0 || address === undefined) throw new InvalidInput(problems);
  return inTransaction(ctx.db, async (tx) => {
    const saved = await insertSavedView(tx, { name, address, created_at: ctx.clock.now() });
    if (saved === undefined) throw new Refused('conflict', `a saved view has the name "${name}"`);
    await recordAudit(tx, ctx, {
      action: 'view.saved',
      subject: name,
      changes: { address: { after: address } },
    });
    return saved;
  });
}

/** @param named its id; or, as text, its name. @returns the view that was removed; undefined if there is none */
export async function removeView(ctx: ActingContext, named: Id | string): Promise<SavedView | undefined> {
  return inTransaction(ctx.db, async (tx) => {
    const removed = await deleteSavedView(tx, named);
    if (removed === undefined) return undefined;
    await recordAudit(tx, ctx, {
      action: 'view.removed',
      subject: removed.name,
      changes: { address: { before: removed.address } },
    });
    return removed;
  });
}

const ORIGIN = 'http://strandline.invalid';

/** The path and query of an address of this server, without what is inside the page; undefined for any other. */
export function readOwnAddress(text: string): string | undefined {
  // Browsers read a backslash as a slash, and `//` as the beginning of another server.
  if (!/^\/(?![/\\])/.test(text) || text.length > MAX_VIEW_ADDRESS || cleanLine(text) !== text)
    return undefined;
  const url = parseUrl(`${ORIGIN}${text}`);
  if (url === undefined || url.origin !== ORIGIN) return undefined;
  return `${url.pathname}${url.search}`;
}
