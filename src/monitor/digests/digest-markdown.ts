/** A digest as Markdown. Pure. */
import { isWebUrl } from '../../model/links/link.ts';
import { type DigestAction, listRuleActions } from './digest-actions.ts';
import { composeSections, type DigestLine } from './digest-sections.ts';
import type { Digest } from './digest-shapes.ts';

/**
 * @param base start of the addresses of pages, without a slash at its end; null: without links to pages
 * @param rule slug of the rule that sent it; omitted: none did
 */
export function writeMarkdown(
  digest: Digest,
  { zone, base, rule }: { zone?: string; base: string | null; rule?: string },
): string {
  const parts = composeSections(digest, zone).map(({ heading, lines }) =>
    [
      ...(heading === null ? [] : [`## ${escapeMarkdown(heading)}`, '']),
      ...lines.flatMap((line) => writeLine(line, base)),
    ].join('\n'),
  );
  const actions = base === null || rule === undefined ? [] : listRuleActions(rule);
  const foot = actions.map((action) => writeAction(action, base)).join(' · ');
  return `${[...parts, ...(foot === '' ? [] : [foot])].join('\n\n')}\n`;
}

const writeAction = ({ words, path }: DigestAction, base: string | null) => `[${words}](<${base}${path}>)`;

function writeLine({ style, words, path, url, action, cites }: DigestLine, base: string | null): string[] {
  const link = url !== null && isWebUrl(url) ? url : base === null || path === null ? null : `${base}${path}`;
  const text = escapeMarkdown(words);
  const linked = link === null ? text : `[${text}](<${link.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;
  switch (style) {
    case 'title':
      return [`# ${linked}`, ''];
    case 'name':
      return ['', `### ${linked}`, ''];
    case 'text':
      return [linked, ''];
    case 'brief': {
      const numbers = cites.map(({ n, path: page, words: named }) =>
        base === null ? `(${named})` : `[\\[${n}\\]](<${base}${page}>)`,
      );
      return [[text, ...numbers].join(' '), ''];
    }
    case 'plus':
      return [`- **+** ${linked}`];
    case 'minus':
      return [`- **−** ${linked}`];
    case 'thing':
      return [`- ${linked}`];
    case 'note': {
      const act = action === null || base === null ? [] : [writeAction(action, base)];
      const parts = [...(text === '' ? [] : [`*${text}*`]), ...act];
      return parts.length === 0 ? [] : [`  ${parts.join(' · ')}`];
    }
  }
}

/** Characters that mean something anywhere in a line, and those that do at its beginning. */
const SPECIAL = /[\\`*_{}[\]<>#|~&]/g;
const LEADING = /^(?:[-+=]|\d+(?=[.)]))/;

/** One line of text that Markdown shows as it is. */
function escapeMarkdown(text: string): string {
  const escaped = text.replace(SPECIAL, (sign) => `\\${sign}`);
  return escaped.replace(LEADING, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));
}
