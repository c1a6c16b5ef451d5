/** Which kind of channel a pasted text belongs to. */

import type { Settings } from './channels/channel-kind.ts';
import { CHANNEL_KINDS } from './channels/channel-kinds.ts';

/** A kind and the settings that the text has; the kind may need further ones. */
type RecognizedAddress = { kindName: string; settings: Partial<Settings> };

const MAX_PASTED_LENGTH = 4_000;

/** @returns null if no kind recognizes it */
export function recognizeAddress(text: string): RecognizedAddress | null {
  const pasted = text.trim().replace(/^<(.*)>$/s, '$1');
  if (pasted === '' || pasted.length > MAX_PASTED_LENGTH) return null;
  const matches = Object.entries(CHANNEL_KINDS).flatMap(([kindName, kind]) => {
    const settings = kind.recognize(pasted);
    return settings === null ? [] : [{ kindName, settings }];
  });
  // A webhook may be at any address; all others know theirs.
  return matches.find(({ kindName }) => kindName !== 'webhook') ?? matches[0] ?? null;
}

/** What {@link recognizeAddress} knows, for people. */
export const RECOGNIZED_ADDRESSES = `an address of ${Object.values(CHANNEL_KINDS)
  .map(({ words }) => words.name)
  .join(', ')}`;
