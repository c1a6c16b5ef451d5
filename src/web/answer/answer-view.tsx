/**
 * An answer of a search service with its sources, and how it was found: on the page of the service, and for a trial on the
 * dashboard. Everything in it is from outside: texts are escaped, and only web addresses are linked.
 */
import type { AskedSource, OpenedPages } from '../../model/asked-source.ts';
import { type Citation, listCitations, splitCitedText } from '../../model/statements/cited-text.ts';
import { formatCount, formatTenths } from '../../lib/display-format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { parseUrl, readSite } from '../../model/links/link.ts';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { describeAsked, describeFailure } from './source-ticks.tsx';
import type { ComponentChildren } from 'preact';

export type ShownItem = {
  title: string | null;
  /** Null: the service named no address. */
  url: string | null;
  /** Of its tool: `Web Search`. */
  tool: string;
  publishedAt: Date | null;
  /** Further facts, such as counters. */
  more?: ComponentChildren;
};

export type ShownAnswer = {
  /** Texts with citations; none: there is no answer. Null: none was asked for. */
  texts: readonly string[] | null;
  items: readonly ShownItem[];
  /** How many there are, if not all are among the items. */
  itemCount: number;
  /** Null: the service does not say. */
  plan: readonly AskedSource[] | null;
  /** Undefined: none was opened, or the service does not say. */
  pages?: OpenedPages | undefined;
  warnings: readonly { code: string | null; tool: string | null; message: string | null }[];
  ms: number;
};

const MAX_TEXT = 4_000;

/** @param renderTime a time, in the zone of the reader */
export function AnswerView({
  answer,
  renderTime,
}: {
  answer: ShownAnswer;
  renderTime: (at: Date) => ComponentChildren;
}) {
  const { texts, items, itemCount, plan, pages, warnings, ms } = answer;
  const written = (texts ?? []).filter((text) => text.trim() !== '');
  const citations = listCitations(written);
  return (
    <div class="answer">
      {written.length === 0 && texts !== null ? <p class="empty">No answer in these sources.</p> : null}
      {written.map((text) => (
        <p class="prose">
          <NumberedText text={text} />
        </p>
      ))}
      {citations.length === 0 ? null : (
        <ol class="sources">
          {citations.map((citation) => (
            <CitedSource citation={citation} items={items} renderTime={renderTime} />
          ))}
        </ol>
      )}
      <p class="note">
        {[
          `Took ${formatTenths(ms / 1_000)} s`,
          ...(plan === null ? [] : [describeAsked(plan)]),
          formatCount(itemCount, 'result'),
        ].join(' · ')}
      </p>
      <WarningList warnings={warnings} />
      {plan === null || plan.length === 0 ? null : <PlanTable plan={plan} />}
      {pages === undefined ? null : <PageList pages={pages} />}
      {items.length === 0 ? null : (
        <details class="more" open={written.length === 0}>
          <summary>
            {items.length < itemCount
              ? `First ${items.length} of ${itemCount} results`
              : `All results (${itemCount})`}
          </summary>
          {[...groupBy(items, ({ tool }) => tool)].map(([tool, group]) => (
            <>
              <h3>
                {tool} ({group.length})
              </h3>
              <ul class="feed">
                {group.map((item) => (
                  <li>
                    <ItemLine item={item} renderTime={renderTime} />
                  </li>
                ))}
              </ul>
            </>
          ))}
        </details>
      )}
    </div>
  );
}

/** A text whose citations lead to the list of sources below it. */
function NumberedText({ text }: { text: string }) {
  let left = MAX_TEXT;
  const parts: ComponentChildren[] = [];
  for (const piece of splitCitedText(text)) {
    if (typeof piece !== 'string') {
      parts.push(
        ' ',
        <sup>
          <a href={`#source-${piece.number}`}>{piece.number}</a>
        </sup>,
      );
      continue;
    }
    if (left <= 0) break;
    parts.push(<UntrustedText text={piece} most={left} />);
    left -= piece.length;
  }
  return <>{parts}</>;
}

type RenderTime = { renderTime: (at: Date) => ComponentChildren };

function CitedSource({
  citation: { number, address },
  items,
  renderTime,
}: { citation: Citation; items: readonly ShownItem[] } & RenderTime) {
  const item = items.find(({ url }) => url !== null && isSameAddress(url, address));
  return (
    <li value={Number(number)} id={`source-${number}`}>
      <ExternalLink href={address} text={item?.title ?? address} />{' '}
      <span class="why">
        <UntrustedText text={readSite(address) ?? ''} most={60} />
        {item?.publishedAt == null ? null : <>, {renderTime(item.publishedAt)}</>}
      </span>
    </li>
  );
}

function ItemLine({ item, renderTime }: { item: ShownItem } & RenderTime) {
  const { title, url, publishedAt, more } = item;
  return (
    <div class="line">
      <span class="line-what">
        <ExternalLink href={url} text={title ?? url} />
      </span>
      <span class="line-more">
        {url === null ? null : <UntrustedText text={readSite(url) ?? ''} most={80} />}
        {publishedAt === null ? null : renderTime(publishedAt)}
        {more}
      </span>
    </div>
  );
}

/** One line for each tool, with all that is wrong with it. */
function WarningList({ warnings }: Pick<ShownAnswer, 'warnings'>) {
  if (warnings.length === 0) return null;
  const byTool = groupBy(warnings, ({ tool }) => tool);
  return (
    <details class="more">
      <summary>{formatCount(byTool.size, 'warning')}</summary>
      <ul class="plain">
        {Array.from(byTool, ([tool, all]) => {
          const reasons = all.flatMap(({ message, code }) => message ?? code ?? []).join('; ');
          return (
            <li>
              <UntrustedText text={tool === null ? reasons : `${tool}: ${reasons}`} />
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** Which pages were read for the answer, and why others were not. */
function PageList({ pages: { opened, ms, limit_ms } }: { pages: OpenedPages }) {
  const read = opened.filter(({ why }) => why === null);
  return (
    <details class="more">
      <summary>
        {`Read ${read.length} of ${formatCount(opened.length, 'page')} in ${formatTenths(ms / 1_000)} of at most ${formatTenths(limit_ms / 1_000)} s`}
      </summary>
      <ul class="plain">
        {opened.map(({ url, why }) => (
          <li>
            <ExternalLink href={url} text={url} />
            {why === null ? null : <UntrustedText text={`: ${why}`} most={200} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What each source was asked, in its own words, and what it returned. */
function PlanTable({ plan }: { plan: readonly AskedSource[] }) {
  return (
    <details class="more">
      <summary>How it was found</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Queries by source">
        <table>
          <caption class="unseen">Queries by source</caption>
          <thead>
            <tr>
              <th scope="col">Source</th>
              <th scope="col">Query as sent</th>
              <th scope="col">Result</th>
              <th scope="col" class="number">
                Time
              </th>
            </tr>
          </thead>
          <tbody>
            {plan.map((source) => (
              <tr>
                <th scope="row">
                  <UntrustedText text={source.source} most={60} />
                  <div class="hint">{source.tool}</div>
                </th>
                <td>
                  {source.queries.length === 0 ? (
                    <span class="unknown">none sent</span>
                  ) : (
                    source.queries.map((words) => (
                      <div>
                        <code>
                          <UntrustedText text={words} most={300} />
                        </code>
                      </div>
                    ))
                  )}
                </td>
                <td>
                  {source.state === 'failed' ? (
                    <UntrustedText text={describeFailure(source)} most={200} />
                  ) : source.state === 'asked' ? (
                    'no response'
                  ) : (
                    formatCount(source.results, 'result')
                  )}
                </td>
                <td class="number">{source.ms === null ? '–' : `${formatTenths(source.ms / 1_000)} s`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** A citation escapes signs that could end it. */
function isSameAddress(left: string, right: string): boolean {
  return left === right || normalizeAddress(left) === normalizeAddress(right);
}

function normalizeAddress(address: string): string {
  const href = parseUrl(address)?.href ?? address;
  return href.replace(/%(?:2[278]|29|5[BCDE]|60|7[BCD]|3[CE])/gi, (sign) => decodeURIComponent(sign));
}
