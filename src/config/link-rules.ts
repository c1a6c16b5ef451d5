/** `LINK_RULES`: rules of link identity of this installation, as JSON or the path of a file with it. */

import {
  identifyAddress,
  type OwnLinkRule,
  readIdentityHost,
  removePrefixes,
} from '../model/links/link-identity.ts';
import { InvalidInput } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { z } from 'zod';

const EXAMPLE = '[{"host":"shop.example","keep":["id"]}]';
const EXPECTED = `a JSON list of rules such as ${EXAMPLE}, or the path of a file with one`;

const MAX_RULES = 1_000;
const host = z
  .string()
  .regex(/^(?:[a-z\d_-]{1,63}\.){1,10}[a-z\d-]{1,63}$/)
  .refine((name) => removePrefixes(name) === name);
const names = z.array(z.string().min(1).max(200)).max(200);
const rules = z
  .array(
    z
      .strictObject({ host, alias: host.optional(), keep: names.optional(), drop: names.optional() })
      .refine(({ keep, drop }) => keep === undefined || drop === undefined)
      .refine(({ alias, keep, drop }) => (alias ?? keep ?? drop) !== undefined),
  )
  .max(MAX_RULES);

/** Names the first rule that is wrong, and what it may be. */
export const linkRules = z
  .string()
  .transform((text, ctx): OwnLinkRule[] => {
    const problem = (message: string) => {
      ctx.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (text === '') return [];
    let data: unknown;
    try {
      data = JSON.parse(text.startsWith('[') ? text : readSmallFile(text, 'LINK_RULES'));
    } catch (error) {
      return problem(
        `${EXPECTED} (${error instanceof InvalidInput ? 'the file cannot be read' : 'this is no JSON'})`,
      );
    }
    const parsed = rules.safeParse(data);
    if (!parsed.success) {
      const [index, member] = parsed.error.issues[0]?.path ?? [];
      const where =
        index === undefined
          ? ''
          : `rule ${Number(index) + 1}${member === undefined ? '' : `, ${String(member)}`}: `;
      return problem(
        `${where}"host" in lower case without www., and "alias" (a host), "keep" or "drop" (names of parameters; not both)`,
      );
    }
    const wrong = parsed.data.findIndex(
      (rule, n) => !isApplicable(rule, parsed.data.slice(0, n), parsed.data),
    );
    if (wrong !== -1)
      return problem(
        `rule ${wrong + 1}: an earlier rule covers its host, or its alias is replaced itself; name the host that stays`,
      );
    return parsed.data;
  })
  .describe(EXPECTED);

/** Whether no earlier rule covers the host, and no rule, built in or not, replaces its alias. */
function isApplicable(
  { host: name, alias }: OwnLinkRule,
  earlier: readonly OwnLinkRule[],
  all: readonly OwnLinkRule[],
): boolean {
  const covers = (rule: OwnLinkRule, other: string) => other === rule.host || other.endsWith(`.${rule.host}`);
  if (earlier.some((rule) => covers(rule, name))) return false;
  if (alias === undefined) return true;
  if (all.some((rule) => rule.alias !== undefined && covers(rule, alias))) return false;
  const identity = identifyAddress(`https://${alias}/`);
  return identity !== null && readIdentityHost(identity) === alias;
}
