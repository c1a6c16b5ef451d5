/**
 * Walks the pages as a reader would, collects each figure that is inside a link or names a row of a chart, follows its link, and compares it with
 * what is listed there. Knows no page: what it needs of a page is that a link leads to a list.
 */
import { type Person, textOf } from '../pages/person.ts';

/** A number on a page, and the address of what it counts. */
export type Figure = { page: string; href: string; says: string; value: number; rounded: boolean };

/** A figure that differs from its list, or whose list cannot be counted. */
export type Contradiction = Figure & { found: string };

const NUMBER = /^(?:≥ )?(\d[\d,]*|\d+\.\d+(?=[KM]))([KM])?(?: [a-z][a-z ]*)?$/;
/** Such links have the number of a run, or of a citation, as their text. */
const NAMES_A_THING = /^\/(?:runs|links|posts|authors)\/\d+(?:#.*)?$/;
const FACTORS = { K: 1_000, M: 1_000_000 } as const;

/** Figures of a page: links whose text is a number, and rows of charts whose name is a link. */
export function figuresOf(page: string, html: string): Figure[] {
  const body = html.replaceAll(/<nav\b.*?<\/nav>/gs, '');
  const figures: Figure[] = [];
  for (const [, href = '', inner = ''] of body.matchAll(/<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)) {
    const says = textOf(inner).trim();
    const match = NUMBER.exec(says);
    if (match === null || inner.includes('<time') || NAMES_A_THING.test(href)) continue;
    const exact = /<data value="([\d.]+)"/.exec(inner)?.[1];
    const written = Number((match[1] ?? '').replaceAll(',', '')) * (FACTORS[match[2] as 'K' | 'M'] ?? 1); // matched
    figures.push({
      page,
      href: toPath(href),
      says,
      value: exact === undefined ? written : Number(exact),
      rounded: exact === undefined && match[2] !== undefined,
    });
  }
  for (const [, href = '', cells = ''] of body.matchAll(
    /<tr><th scope="row"><a href="([^"]*)"><time.*?<\/a><\/th>(.*?)<\/tr>/gs,
  )) {
    const values = [...cells.matchAll(/<td class="number">(?:<data value="([\d.]+)")?/g)];
    const value = values[0]?.[1];
    if (value !== undefined)
      figures.push({
        page,
        href: toPath(href),
        says: `a bar of ${value}`,
        value: Number(value),
        rounded: false,
      });
  }
  // Rankings: the name leads to the list, and the number stands beside it.
  for (const [, href = '', says = ''] of body.matchAll(
    /<tr><th scope="row"><a href="([^"]*[?]q=[^"]*)">(?!<time)(?:(?!<\/tr>).)*?<\/th><td class="number">([\d,.]+)<\/td>/gs,
  ))
    figures.push({ page, href: toPath(href), says, value: Number(says.replaceAll(',', '')), rounded: false });
  return figures;
}

/** Addresses of pages that a page leads to, without places in them. */
export function linksOf(html: string): string[] {
  return [...html.matchAll(/<a\b[^>]*?href="(\/[^"]*)"/g)].map(([, href = '']) =>
    toPath(href).replace(/#.*/, ''),
  );
}

const toPath = (href: string) => href.replaceAll('&amp;', '&');

/**
 * What distinguishes pages of one kind: the path without what is named in it, and the names and choices of its parameters. Two pages of a kind
 * show the same sentences about other things.
 */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://strandline');
  const path = pathname.replace(/^\/(topics|searches|posts|links|authors|runs)\/[^/]+/, '/$1/…');
  const isAlone = searchParams.size === 1;
  const choices = [...searchParams].map(([name, value]) =>
    isAlone && /^[a-z]*\d{0,2}[a-z]?$/.test(value) ? `${name}=${value}` : name,
  );
  return `${path}?${choices.toSorted().join('&')}`;
}

type Walk = {
  /** Pages of a kind to visit. */
  each: number;
  /** Bars of a chart to follow: the largest, the first and the last among them. */
  bars: number;
  /** Addresses that are not pages, or lead away. */
  skips: RegExp;
};

/** Pages by address, each requested once. */
export function createReader(person: Person): (address: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (address) => {
    const got =
      known.get(address) ??
      person.get(address).then(({ status, html, to }) => {
        if (status === 303 && to !== undefined) return person.get(to).then((next) => next.html);
        if (status !== 200) throw new Error(`${address}: status ${status}`);
        return html;
      });
    known.set(address, got);
    return got;
  };
}

/** These pages, and every page that links lead to from them on, as many of each kind as asked for. @returns the pages with their HTML */
export async function walkPages(
  read: (address: string) => Promise<string>,
  from: readonly string[],
  { each, skips }: Walk,
): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const kinds = new Map<string, number>();
  const queue = [...from];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const kind = kindOf(next);
    const visited = kinds.get(kind) ?? 0;
    if (pages.has(next) || (visited >= each && !from.includes(next)) || skips.test(next)) continue;
    kinds.set(kind, visited + 1);
    const html = await read(next);
    pages.set(next, html);
    queue.push(...linksOf(html));
  }
  return pages;
}

/** Compares the figures of pages with their lists. */
export async function compareFigures(
  read: (address: string) => Promise<string>,
  pages: ReadonlyMap<string, string>,
  { bars }: Walk,
): Promise<{ compared: Figure[]; contradictions: Contradiction[] }> {
  const compared: Figure[] = [];
  const contradictions: Contradiction[] = [];
  for (const [page, html] of pages)
    for (const figure of chooseFigures(figuresOf(page, html), bars)) {
      const found = await countListed(read, figure);
      const isSame =
        typeof found === 'number' && (figure.rounded ? isRounded(figure, found) : figure.value === found);
      compared.push(figure);
      if (!isSame) contradictions.push({ ...figure, found: String(found) });
    }
  return { compared, contradictions };
}

function isRounded({ value }: Figure, found: number): boolean {
  return Math.abs(found - value) <= Math.max(50, value / 20);
}

function chooseFigures(figures: readonly Figure[], bars: number): Figure[] {
  const isBar = ({ says }: Figure) => says.startsWith('a bar of');
  const all = figures.filter(isBar);
  const counted = all.filter(({ value }) => value > 0);
  const empty = all.find(({ value }) => value === 0);
  const chosen = [
    ...counted.slice(0, 1),
    ...counted.slice(-2),
    ...counted.toSorted((a, b) => b.value - a.value),
  ];
  return [
    ...figures.filter((figure) => !isBar(figure)),
    ...[...new Set([...(empty === undefined ? [] : [empty]), ...chosen])].slice(0, bars),
  ];
}

const TOTAL = /<section id="volume".*?<h2>([\d,]+) /s;

/** The stated total of a list, if it is the number of its items; the items of any other page with a feed or table. */
async function countListed(
  read: (address: string) => Promise<string>,
  { href, page }: Figure,
): Promise<number | string> {
  if (!href.startsWith('/') && !href.startsWith('#') && !href.startsWith('?')) return `a link to ${href}`;
  const { pathname, search, hash } = new URL(href, new URL(page, 'http://strandline'));
  const first = await read(`${pathname}${search}`);
  const section = hash === '' ? 'list' : hash.slice(1);
  let listed = 0;
  let html = first;
  for (;;) {
    const [, list] =
      new RegExp(`<section id="${section}"(.*?)</section>`, 's').exec(html) ??
      (html.includes('<section') ? [] : (/<main(.*?)<\/main>/s.exec(html) ?? []));
    if (list === undefined) return `no list "${section}" at ${pathname}`;
    listed += list.match(/<li>/g)?.length ?? list.match(/<tr><td/g)?.length ?? 0;
    const next = /href="([^"]*)" rel="next"/.exec(html)?.[1];
    if (next === undefined) break;
    html = await read(toPath(next));
  }
  const stated = TOTAL.exec(first)?.[1];
  const total = stated === undefined ? listed : Number(stated.replaceAll(',', ''));
  return total === listed ? total : `a list that says ${total} and has ${listed}`;
}
