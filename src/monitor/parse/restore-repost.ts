/** The full text of a repost that is cut at its end, from the post that it repeats. Pure. */

/** `RT @name: `, which the text of a repost begins with on some networks. */
const REPOST_PREFIX = /^RT\s+@[\w.@-]{1,100}:?\s+/i;
/** Where a text was cut: an ellipsis, and an address of the network behind it, which may be cut itself. */
const CUT_END =
  /(?:(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s?(?:h(?:t(?:t(?:p(?:s?(?::(?:\/(?:\/\S{0,200})?)?)?)?)?)?)?)?(?:…|\.\.\.)?|\ufffd)$/i;
const MAX_END = 260;
const SHORT_ADDRESS = /\shttps?:\/\/t\.co\/\w{1,20}$/;
const ESCAPED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/**
 * The text of a repost, completed: its prefix and the whole text of the original. Unchanged unless the text before the cut
 * is the beginning of the original, so that nothing is invented.
 * @param original null if it is unknown
 */
export function restoreRepost(text: string, original: string | null): string {
  if (original === null || original === '' || text === '') return text;
  const prefix = REPOST_PREFIX.exec(text)?.[0] ?? '';
  const own = text.slice(prefix.length).trimEnd();
  const end = CUT_END.exec(own.slice(-MAX_END))?.[0] ?? '';
  const uncut = own.slice(0, own.length - end.length);
  const whole = normalize(original);
  // A short address of the post may be at the end without an ellipsis.
  const isBeginning = [uncut, uncut.replace(SHORT_ADDRESS, '')]
    .map(normalize)
    .some((begin) => begin !== '' && begin.length < whole.length && whole.startsWith(begin));
  return isBeginning ? `${prefix}${original}` : text;
}

/** Whether a repost says that its text is cut. */
export function isCutRepost(text: string): boolean {
  return REPOST_PREFIX.test(text) && CUT_END.test(text.slice(-MAX_END).trimEnd());
}

/** Spaces and the escapes of HTML differ between copies. */
function normalize(text: string): string {
  return text
    .normalize('NFC')
    .replace(/&(?:amp|lt|gt);/g, (escaped) => ESCAPED[escaped] ?? escaped)
    .replace(/\s+/g, ' ')
    .trim();
}
