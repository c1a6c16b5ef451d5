/** Commands accept former slugs of topics and searches, and say the current ones. */

import {
  listSlugs,
  type NamedKind,
  NAMING,
  type RenamedSlug,
  replaceSlugs,
} from '../store/topics/former-slugs.ts';
import type { Command } from 'commander';

/** A command names something by a former slug; it is run again with the current one. Thrown before it does anything. */
export class NamedByFormerSlug extends Error {
  override readonly name = 'NamedByFormerSlug';
  readonly renamed: readonly RenamedSlug[];
  constructor(renamed: readonly RenamedSlug[]) {
    super(renamed.map(({ kind, former, slug }) => `the ${kind} "${former}" is now "${slug}"`).join('\n'));
    this.renamed = renamed;
  }
}

/** The slugs that a command names. */
export function listNamedSlugs(command: Command | undefined): { kind: NamedKind; slug: string }[] {
  const named: { kind: NamedKind; slug: string }[] = [];
  visitNaming(command, (kind, text) => {
    named.push(...listSlugs(kind, text));
    return text;
  });
  return named;
}

/** Replaces former slugs before the action of a command runs. */
export function useCurrentSlugs(command: Command, renamed: readonly RenamedSlug[]): void {
  if (renamed.length === 0) return;
  visitNaming(command, (kind, text) => replaceSlugs(kind, text, renamed));
}

/** @param visit returns the new text */
function visitNaming(command: Command | undefined, visit: (kind: NamedKind, text: string) => string): void {
  if (command === undefined) return;
  const visitAny = (kind: NamedKind, value: unknown): unknown =>
    typeof value === 'string'
      ? visit(kind, value)
      : Array.isArray(value)
        ? value.map((one) => visitAny(kind, one))
        : value;
  for (const [i, argument] of command.registeredArguments.entries()) {
    const kind = NAMING[argument.name()];
    if (kind !== undefined) command.processedArgs[i] = visitAny(kind, command.processedArgs[i]);
  }
  // Options before a subcommand belong to its parent.
  for (let of: Command | null = command; of !== null; of = of.parent) {
    for (const [option, kind] of Object.entries(NAMING)) {
      const value: unknown = of.getOptionValue(option);
      if (value !== undefined)
        of.setOptionValueWithSource(option, visitAny(kind, value), of.getOptionValueSource(option));
    }
  }
}
