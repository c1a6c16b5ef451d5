/** Texts of completions with their citations, and the numbered list of what they cite. */

import type { AddressedLink } from '../../store/queries/completions.ts';
import { ExternalLink, UntrustedText } from './untrusted-text.tsx';

/** Citations of completions: `[3](https://...)`. */
const CITATION = /\[(\d{1,3})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

/** Removes citations, including one that is cut off at the end. */
export function removeCitations(text: string): string {
  return text.replaceAll(/ ?\[\d{1,3}\]\([^\s()]*(?:\)|$)/g, '');
}

/** The addresses that texts cite by number, in order. */
export function listCitedAddresses(texts: readonly (string | null)[]): string[] {
  return listCitations(texts).map(({ address }) => address);
}

type Citation = { number: string; address: string };

/** Distinct, by number; a number of two sections may stand for two addresses. */
function listCitations(texts: readonly (string | null)[]): Citation[] {
  const found = texts.flatMap((text) =>
    [...(text ?? '').matchAll(CITATION)].map(([, number = '', address = '']) => ({ number, address })),
  );
  const distinct = new Map(found.map((citation) => [`${citation.number} ${citation.address}`, citation]));
  return [...distinct.values()].toSorted((a, b) => Number(a.number) - Number(b.number));
}

/** Stored links by address as cited. */
export type CitedLinks = ReadonlyMap<string, AddressedLink>;

/** A text with its citations as numbers, which lead to the pages of the links. */
export function CitedText({ text, most, links }: { text: string | null; most: number; links: CitedLinks }) {
  if (text === null || text.trim() === '') return <UntrustedText text={null} />;
  const parts = [];
  let from = 0;
  let shown = 0;
  for (const found of text.matchAll(CITATION)) {
    const [whole, number = '', address = ''] = found;
    const before = text.slice(from, found.index);
    if (shown + before.length > most) break;
    parts.push(<UntrustedText text={before === '' ? ' ' : before} most={most} />);
    parts.push(<CitationNumber number={number} address={address} link={links.get(address)} />);
    shown += before.length;
    from = found.index + whole.length;
  }
  const rest = text.slice(from);
  return (
    <>
      {parts}
      {rest === '' ? null : <UntrustedText text={rest} most={Math.max(1, most - shown)} />}
    </>
  );
}

function CitationNumber({ number, address, link }: Citation & { link: AddressedLink | undefined }) {
  return (
    <sup>
      {link === undefined ? (
        <ExternalLink href={address} text={number} />
      ) : (
        <a href={`/links/${link.id}`} title={link.title ?? undefined}>
          {number}
        </a>
      )}
    </sup>
  );
}

/** The titles of what texts cite, by the numbers in them. @param others links that are cited without a number */
export function SourceList({
  texts,
  links,
  others,
}: {
  texts: readonly (string | null)[];
  links: CitedLinks;
  others: readonly AddressedLink[];
}) {
  const citations = listCitations(texts);
  const numbered = new Set(citations.flatMap(({ address }) => links.get(address)?.id ?? []));
  const unnumbered = others.filter(({ id }) => !numbered.has(id));
  if (citations.length + unnumbered.length === 0) return null;
  return (
    <>
      <h3>Sources</h3>
      <ol class="sources">
        {citations.map(({ number, address }) => {
          const link = links.get(address);
          return (
            <li value={Number(number)}>
              {link === undefined ? (
                <ExternalLink href={address} text={address} />
              ) : (
                <SourceTitle link={link} />
              )}
            </li>
          );
        })}
      </ol>
      {unnumbered.length === 0 ? null : (
        <ul class="sources">
          {unnumbered.map((link) => (
            <li>
              <SourceTitle link={link} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function SourceTitle({ link: { id, title, url } }: { link: AddressedLink }) {
  return (
    <>
      <a href={`/links/${id}`}>
        <UntrustedText text={title ?? url} most={160} />
      </a>{' '}
      <span class="why">
        <UntrustedText text={readHost(url)} most={60} />
      </span>
    </>
  );
}

function readHost(url: string): string {
  return /^https?:\/\/([^/?#]{1,253})/i.exec(url)?.[1] ?? '';
}
