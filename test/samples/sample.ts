import { readFileSync } from 'node:fs';

/** The text of a recorded payload in test/samples (its README says what each is). */
export function sample(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** A recorded payload, parsed. */
export function sampleJson(name: string): unknown {
  return JSON.parse(sample(name));
}
