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

/** Untrusted text is safe: preact escapes it. */
export function renderHtml(node: VNode, mount: Mount): string {
  const html = renderToString(node);
  return mount === '' ? html : html.replaceAll(ADDRESS_ATTRIBUTE, `$1${mount}`);
}
