/** When a name enters the answers of a search, or leaves them. Pure. */
import { formatMinute } from '../../../lib/display-format.ts';
import type { NameChange } from '../../../model/closed-lists.ts';

/** Answers that are compared: the newest, of one request. */
export const MAX_COMPARED_ANSWERS = 60;
/** With fewer answers before it, nothing is known of a name. */
const MIN_BEFORE = 5;
/** So many answers in a row without a name are needed at least before it has left. */
const MIN_MISSING = 3;
/** And so improbable must it be that those without it came last. */
const CHANCE = 0.01;

/** `before`: answers that were compared; `present`: those of them that have the name; `missing`: answers in a row without it. */
type FoundNameChange = { change: NameChange; before: number; present: number; missing: number };

/**
 * Decides by the newest answer. A name has entered if the answer has it and none of at least five before it did, or if it had left.
 * It has left if it is missing from at least three answers in a row, of which chance is no explanation: a name in one answer of ten is
 * missed in many before it has.
 * @param has whether each answer has the name, oldest first; at most {@link MAX_COMPARED_ANSWERS}
 * @param reported the last change that was reported; null if none was
 */
export function findNameChange(has: readonly boolean[], reported: NameChange | null): FoundNameChange | null {
  const isLastWith = has.at(-1) === true;
  const earlier = has.slice(0, isLastWith ? -1 : undefined);
  const lastWith = earlier.lastIndexOf(true);
  const missing = earlier.length - 1 - lastWith;
  const before = isLastWith ? missing : lastWith + 1;
  if (isLastWith) {
    const isNew = reported === 'left' || (reported === null && lastWith < 0);
    return isNew && missing >= MIN_BEFORE ? { change: 'entered', before, present: 0, missing } : null;
  }
  if (reported === 'left' || before < MIN_BEFORE || missing < MIN_MISSING) return null;
  const present = earlier.slice(0, before).filter(Boolean).length;
  return chanceOfMissing(before + missing, present, missing) < CHANCE
    ? { change: 'left', before, present, missing }
    : null;
}

/** The probability that the newest `missing` of `all` answers lack the name, if those with it are in a random order. */
function chanceOfMissing(all: number, present: number, missing: number): number {
  let chance = 1;
  for (let i = 0; i < missing; i += 1) chance *= (all - present - i) / (all - i);
  return chance;
}

/** `Acme entered the answers of the service "hosted": in the answer of 21 Nov 2026, 14:00 UTC, in none of the 12 before.` */
export function composeNameSentence(
  { change, before, present, missing }: FoundNameChange,
  { name, service, at }: { name: string; service: string; at: Date },
): string {
  const time = `${formatMinute(at, { zone: 'UTC', now: null })} UTC`;
  return change === 'entered'
    ? `${name} entered the answers of the service "${service}": in the answer of ${time}, in none of the ${before} before.`
    : `${name} left the answers of the service "${service}": in none of the ${missing} until ${time}, in ${present} of the ${before} before.`;
}
