/** Compares what a provider returned with the schema its adapter parses it with, member by member. */
import { z } from 'zod';
import type { ParsedFormat } from '../../src/service/sources/parse/payload.ts';

/** One member over all values: in how many of the objects that may have it, it is missing or of another type. */
type Member = { required: boolean; objects: number; missing: number; unreadable: number; problem: string };

export type FormatReport = {
  add(format: ParsedFormat): void;
  /** What the adapter does not expect: a required member that is missing, a member of another type. */
  differences(): string[];
  /** Optional members that no object had: the provider may have removed or renamed them. */
  unseen(): string[];
};

export function createFormatReport(): FormatReport {
  const members = new Map<string, Member>();

  function compare(schema: z.core.$ZodType, value: unknown, path: string): void {
    const { inner, optional, nullable } = unwrap(schema);
    const required = !optional;
    const { objects, missing, unreadable, problem } = members.get(path) ?? EMPTY;
    const isMissing = value === undefined || (value === null && !nullable && !required);
    const read = isMissing || (value === null && nullable) ? undefined : z.safeParse(inner, value);
    // Errors inside belong to the members inside.
    const issue = read?.error?.issues.find(({ path: inside }) => inside.length === 0);
    members.set(path, {
      required,
      objects: objects + 1,
      missing: missing + (isMissing ? 1 : 0),
      unreadable: unreadable + (issue === undefined ? 0 : 1),
      problem: problem === '' && issue !== undefined ? issue.message : problem,
    });
    if (inner instanceof z.ZodObject && isObject(value))
      for (const [name, member] of Object.entries<z.core.$ZodType>(inner.shape))
        compare(member, value[name], `${path}.${name}`);
    if (inner instanceof z.ZodArray && Array.isArray(value))
      for (const element of value) compare(inner.element, element, `${path}[]`);
  }

  const list = () => [...members];
  return {
    add: ({ of, schema, values }) => {
      for (const value of values) compare(schema, value, of);
    },
    differences: () =>
      list().flatMap(([path, { required, objects, missing, unreadable, problem }]) => [
        ...(required && missing > 0 ? [`${path}: missing in ${missing} of ${objects}`] : []),
        ...(unreadable > 0 ? [`${path}: unexpected in ${unreadable} of ${objects} (${problem})`] : []),
      ]),
    unseen: () =>
      list().flatMap(([path, { required, objects, missing }]) =>
        !required && missing === objects ? [path] : [],
      ),
  };
}

const EMPTY: Member = { required: true, objects: 0, missing: 0, unreadable: 0, problem: '' };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema behind those that make a member optional, or replace or transform it. */
function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; optional: boolean; nullable: boolean } {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodNullable) return { ...unwrap(schema.unwrap()), nullable: true };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodCatch || schema instanceof z.ZodDefault)
    return { ...unwrap(schema.unwrap()), optional: true };
  return { inner: schema, optional: false, nullable: false };
}
