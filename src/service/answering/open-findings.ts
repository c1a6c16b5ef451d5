/** Opens the best of the pages that were found, so that a completion knows more of them than an excerpt. */

import { findTool, type Source } from '../../model/enumerations.ts';
import { parseUrl } from '../../model/links/link.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { OUTSIDE_PERIOD, PAGES_UNREAD, type ServedWarning } from '../../protocol/extensions.ts';
import { takeTurn } from '../event-loop-turns.ts';
import { MODEL_TIERS } from '../planning/model-tiers.ts';
import { choosePages, findPageAddress } from '../planning/pages-to-open.ts';
import {
  computeDateWindow,
  type DateWindow,
  type RetrievalRequest,
  type RetrievalResult,
} from '../planning/retrieval.ts';
import type { SearchPlan } from '../planning/search-plan.ts';
import { planWordings } from '../planning/wordings.ts';
import type { PageText } from '../sources/pages/page-orders.ts';
import type { PageOpener, PageOutcome } from '../sources/pages/page-opener.ts';
import { isWithinWindow } from '../sources/provider-query.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { selectPassages } from './page-passages.ts';

/** Left for writing the completion, whatever pages do. */
const MIN_WRITING_MS = 2 * SECOND;
/** Named in a warning. */
const MAX_NAMED = 3;

/**
 * The findings with passages of the pages that were read, in as much time as the model allows for pages. An item without a time
 * gets that of its page; an item whose page is dated outside of the requested period is left out.
 * @param leftMs time left for the whole response
 * @throws the signal's reason if the client disconnects; pages that could not be read are warnings
 */
export async function openFindings(
  { pages, plan }: { pages?: PageOpener | undefined; plan?: SearchPlan | undefined },
  request: RetrievalRequest,
  retrieved: RetrievalResult,
  leftMs: number,
  signal: AbortSignal,
): Promise<RetrievalResult> {
  const { pages: most, pagesMs } = MODEL_TIERS[request.model];
  const limitMs = Math.min(pagesMs, Math.floor(leftMs - MIN_WRITING_MS));
  if (pages === undefined || most === 0 || limitMs <= 0) return retrieved;
  const addresses = choosePages(retrieved.findings, most);
  if (addresses.length === 0) return retrieved;
  const began = monotonicMs();
  const outcomes = await pages.open(addresses, limitMs, signal);
  plan?.addPages({
    limit_ms: limitMs,
    ms: Math.round(monotonicMs() - began),
    most,
    opened: [...outcomes].map(([url, outcome]) => describeOutcome(url, outcome)),
  });
  return applyPages(retrieved, outcomes, request);
}

function describeOutcome(url: string, { page, why }: PageOutcome) {
  return {
    url,
    why: why ?? null,
    published_date: page?.publishedAt ?? null,
    author: page?.author ?? null,
    language: page?.language ?? null,
  };
}

async function applyPages(
  { findings, warnings }: RetrievalResult,
  outcomes: ReadonlyMap<string, PageOutcome>,
  request: RetrievalRequest,
): Promise<RetrievalResult> {
  const window = request.window ?? computeDateWindow(request.dateFilter, request.at);
  const { own } = planWordings(request.prompt);
  const applied = new Map<Source, FoundItem[]>();
  const said: ServedWarning[] = [];
  for (const [source, items] of findings) {
    const kept: FoundItem[] = [];
    const unread = new Map<string, string>();
    for (const item of items) {
      const address = findPageAddress(item);
      const outcome = address === undefined ? undefined : outcomes.get(address);
      if (address !== undefined && outcome?.page === undefined && outcome?.isFault === true)
        unread.set(address, outcome.why);
      if (outcome?.page === undefined) {
        kept.push(item);
        continue;
      }
      await takeTurn();
      kept.push(...applyPage(item, outcome.page, selectPassages(outcome.page, own), { ...request, window }));
    }
    applied.set(source, kept);
    const tool = findTool(source);
    if (unread.size > 0) said.push({ code: PAGES_UNREAD, tool, message: describeUnread(unread) });
    const outside = items.length - kept.length;
    if (outside > 0)
      said.push({
        code: OUTSIDE_PERIOD,
        tool,
        message: `left out as outside the requested period, by the dates of their pages: ${outside}`,
      });
  }
  return { findings: applied, warnings: [...warnings, ...said] };
}

/** The item with what its page says; none if that is of another period. */
function applyPage(
  item: FoundItem,
  page: PageText,
  passages: readonly string[],
  { window, at }: { window: DateWindow; at: Date },
): FoundItem[] {
  const read = passages.length === 0 ? item : { ...item, passages };
  // The date filter does not apply to an encyclopedia.
  if (item.source === 'encyclopedia' || page.publishedAt === null) return [read];
  const publishedAt = new Date(page.publishedAt);
  // A wrong clock, or an event that is announced.
  if (publishedAt.getTime() > at.getTime() + DAY) return [read];
  const isInside = isWithinWindow({ publishedAt }, window);
  // What the source says of its result stands; what the page says is of another time.
  if (item.publishedAt !== undefined) return [isInside ? read : item];
  if (!isInside) return [];
  const { periodVouched: _, ...dated } = read;
  return [{ ...dated, publishedAt }];
}

/** `2 pages could not be opened: a.example: was not read in time; b.example: HTTP 500`. */
function describeUnread(unread: ReadonlyMap<string, string>): string {
  const reasons = [...unread].map(([address, why]) => `${parseUrl(address)?.host ?? ''}: ${why}`);
  const named = [...new Set(reasons)].slice(0, MAX_NAMED);
  const count = unread.size === 1 ? '1 page' : `${unread.size} pages`;
  return `${count} could not be opened: ${named.join('; ')}${reasons.length > MAX_NAMED ? '; …' : ''}`;
}
