/** Texts of completions with their citations, and the numbered list of what they cite. */

import type { AddressedLink } from '../../store/queries/completions.ts';
import { type Citation, listCitations, splitCitedText } from '../../model/statements/cited-text.ts';
import { ExternalLink, UntrustedText } from './untrusted-text.tsx';
import type { ComponentChildren } from 'preact';

/** The addresses that texts cite by number, in order. */
export function listCitedAddresses(texts: readonly (string | null)[]): string[] {
  return listCitations(texts).map(({ address }) => address);
}

/** Stored links by address as cited. */
export type CitedLinks = ReadonlyMap<string, AddressedLink>;

/** A text with its citations as numbers, which lead to the pages of the links. */
export function CitedText({ text, most, links }: { text: string | null; most: number; links: CitedLinks }) {
  if (text === null || text.trim() === '') return <UntrustedText text={null} />;
  const parts: ComponentChildren[] = [];
  let shown = 0;
  for (const piece of splitCitedText(text)) {
    if (typeof piece !== 'string') {
      parts.push(' ', <CitationNumber {...piece} link={links.get(piece.address)} />);
      continue;
    }
    parts.push(<UntrustedText text={piece} most={Math.max(1, most - shown)} />);
    shown += piece.length;
    if (shown >= most) break;
  }
  return <>{parts}</>;
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
