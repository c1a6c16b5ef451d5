/** The text of an item as a model reads it, by its first characters. Empty where the item has none. */
import { verbatim } from '../db/statement.ts';

const MAX_TEXT = 2_000;

/** Of a post `p`. */
export const POST_TEXT = verbatim(`left(coalesce(p.text, ''), ${MAX_TEXT})`);
/** Of a link `l`: its title and its snippet. */
export const LINK_TEXT = verbatim(`left(concat_ws('. ', l.title, l.snippet), ${MAX_TEXT})`);
