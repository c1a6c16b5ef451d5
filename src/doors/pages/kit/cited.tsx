import { Outside, OutLink } from './outside.tsx';

/** `[3](https://...)`, as completions cite. */
const CITATION = /\[(\d{1,3})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

/** A text without its citations, one that was cut off among them: where it stands in a line. */
export function uncited(text: string): string {
  return text.replaceAll(/ ?\[\d{1,3}\]\([^\s()]*(?:\)|$)/g, '');
}

/** A text with its citations as numbers that lead to what they cite. */
export function Cited({ text, most }: { text: string | null; most: number }) {
  if (text === null || text.trim() === '') return <Outside text={null} />;
  const parts = [];
  let from = 0;
  let shown = 0;
  for (const found of text.matchAll(CITATION)) {
    const [whole, number = '', address = ''] = found;
    const before = text.slice(from, found.index);
    if (shown + before.length > most) break;
    parts.push(<Outside text={before === '' ? ' ' : before} most={most} />);
    parts.push(
      <sup>
        <OutLink href={address} text={number} />
      </sup>,
    );
    shown += before.length;
    from = found.index + whole.length;
  }
  const rest = text.slice(from);
  return (
    <>
      {parts}
      {rest === '' ? null : <Outside text={rest} most={Math.max(1, most - shown)} />}
    </>
  );
}
