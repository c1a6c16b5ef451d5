/** HTML of a page or a part of it, with addresses below the mount of the application. */
import type { Mount } from '../../model/mount.ts';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Marks a link out of the mount: from the sandbox to the dashboard of real data. Comes before `href`. */
export const OUTSIDE = { 'data-outside': '' };

/**
 * Attributes with an address of this server, in rendered HTML: preact escapes quotes in text and in values, so nothing of an
 * untrusted text looks like an attribute.
 */
const ADDRESS_ATTRIBUTE =
  /(?<! data-outside(?:="")?)( (?:href|action|formaction|src|data-events|data-worker|data-help|data-list)=")(?=\/(?!\/))/g;

/**
 * Untrusted text is safe: preact escapes it.
 * @param isSealed whether nothing in it leads to another page of this server, or changes anything
 */
export function renderHtml(node: VNode, mount: Mount, isSealed = false): string {
  const rendered = renderToString(node);
  const html = isSealed ? sealHtml(rendered) : rendered;
  return mount === '' ? html : html.replaceAll(ADDRESS_ATTRIBUTE, `$1${mount}`);
}

/** Begin and end of elements that serve to go elsewhere or to change something. A menu comes before the form inside it. */
const CONTROLS = [
  ['<details class="menu', '</details>'],
  ['<nav', '</nav>'],
  ['<form', '</form>'],
  ['<button', '</button>'],
] as const;
/** As in {@link ADDRESS_ATTRIBUTE}, with those that the script follows. */
const LINK_ATTRIBUTE =
  / (?:href|action|formaction|src|data-events|data-help|data-list|data-open|data-href)="([^"]*)"/g;
/** Other servers, places in the page, and files that are open to everybody. */
const OPEN_ADDRESS = /^(?:https?:\/\/|#|data:|\/assets\/)/;

/** Removes controls, and the addresses of this server from links, whose words stay. */
export function sealHtml(html: string): string {
  const rest = CONTROLS.reduce((left, [begin, end]) => removeElements(left, begin, end), html);
  return rest.replaceAll(LINK_ATTRIBUTE, (attribute, address: string) =>
    OPEN_ADDRESS.test(address) ? attribute : '',
  );
}

function removeElements(html: string, begin: string, end: string): string {
  const kept: string[] = [];
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf(begin, at);
    if (start === -1) return [...kept, html.slice(at)].join('');
    kept.push(html.slice(at, start));
    const stop = html.indexOf(end, start);
    at = stop === -1 ? html.length : stop + end.length;
  }
  return kept.join('');
}
