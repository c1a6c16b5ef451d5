/** Validates searches as people write them. */

import {
  DATE_FILTERS,
  MODELS,
  OPERATIONS,
  type Operation,
  SOURCE_BY_TOOL,
  TOOLS,
  type Tool,
} from '../../model/enumerations.ts';
import { isPlain, tryParseJson } from '../../lib/json-values.ts';
import { listPlaceholders, PLACEHOLDERS } from '../../model/placeholders.ts';
import { MAX_PROMPT_LENGTH, REQUEST_MEMBERS } from '../../protocol/specification.ts';
import { collectProblems, InvalidInput, type Problem } from '../../model/errors.ts';
import { checkSlug } from '../../model/slug.ts';
import { SENSITIVITIES, type Sensitivity } from '../../model/closed-lists.ts';
import type { Definition, RequestColumns } from '../../store/topics/searches.ts';
import { parseSearchSchedule, type SearchSchedule, toScheduleColumns } from '../schedule/schedule.ts';

/** A saved search as a person writes it. Members are text, as on a command line or in a form. */
export type WrittenSearch = {
  slug: string;
  operation?: string | undefined;
  prompt?: string | undefined;
  tools?: readonly string[] | undefined;
  model?: string | undefined;
  date_filter?: string | undefined;
  streaming?: boolean | undefined;
  /** JSON object of members beyond the specification. */
  extra?: string | undefined;
  cron?: string | undefined;
  tz?: string | undefined;
  every?: string | undefined;
  labels?: readonly string[] | undefined;
  /** Sensitivity of spike detection. */
  sensitivity?: string | undefined;
};

export type CheckedSearch = {
  slug: string;
  operation: Operation;
  labels: string[];
  sensitivity: Sensitivity;
  definition: Definition;
  schedule: SearchSchedule;
};

/**
 * Validates a whole search, so that all problems are reported at once.
 * @throws InvalidInput with the path of each member, what was given, and what is expected
 */
export function checkSearch(written: WrittenSearch): CheckedSearch {
  const problems: Problem[] = [];
  const slug = checkSlug(written.slug, 'slug', problems);
  const operation = checkChoice(OPERATIONS, written.operation, 'operation', 'microblog', problems);
  const ai = operation === 'ai';
  const prompt = checkPrompt(written.prompt, problems);
  const model = checkChoice(MODELS, written.model, 'model', 'NOVA', problems);
  const tools = ai ? checkTools(written.tools, problems) : refuseMember('tools', written.tools, [], problems);
  const date_filter = ai
    ? checkChoice(DATE_FILTERS, written.date_filter, 'date_filter', 'PAST_24_HOURS', problems)
    : refuseMember('date_filter', written.date_filter, null, problems);
  const streaming = ai
    ? (written.streaming ?? false)
    : refuseMember('streaming', written.streaming, false, problems);
  const extra = checkExtra(written.extra, problems);
  const labels = checkLabels(written.labels ?? [], problems);
  const sensitivity = checkChoice(SENSITIVITIES, written.sensitivity, 'sensitivity', 'normal', problems);
  const schedule = collectProblems(
    problems,
    () => parseSearchSchedule({ cron: written.cron, tz: written.tz, every: written.every, slug }),
    undefined,
  );
  if (problems.length > 0 || schedule === undefined) throw new InvalidInput(problems);
  const request: RequestColumns = { prompt, tools, model, date_filter, streaming, extra };
  const definition = { ...request, ...toScheduleColumns(schedule) };
  return { slug, operation, labels, sensitivity, definition, schedule };
}

/** What the request to the service is composed of: not all of it is sent for every operation. */
export function pickRequest(search: RequestColumns): RequestColumns {
  const { prompt, tools, model, date_filter, streaming, extra } = search;
  return { prompt, tools, model, date_filter, streaming, extra };
}

/** What a version of a search consists of. */
export function pickDefinition(search: Definition): Definition {
  const { cron, every_seconds, auto, tz } = search;
  return { ...pickRequest(search), cron, every_seconds, auto, tz };
}

function checkPrompt(prompt: string | undefined, problems: Problem[]): string {
  const text = (prompt ?? '').toWellFormed().replaceAll('\u0000', '').trim();
  if (text === '' || text.length > MAX_PROMPT_LENGTH) {
    problems.push({
      path: 'prompt',
      given: prompt,
      expected: `text of 1 to ${MAX_PROMPT_LENGTH} characters`,
    });
  }
  return text;
}

/** Tools by their name in the specification, or by the short name of their source (`web`, `news_forum`, ...). */
function checkTools(tools: readonly string[] | undefined, problems: Problem[]): Tool[] {
  if (tools === undefined) return [...TOOLS];
  if (tools.length === 0)
    problems.push({ path: 'tools', given: [], expected: `one or more of ${TOOLS.join(', ')}` });
  const chosen = new Set<Tool>();
  for (const [i, name] of tools.entries()) {
    const wanted = name.trim().toLowerCase();
    const tool = TOOLS.find((known) => known.toLowerCase() === wanted || SOURCE_BY_TOOL[known] === wanted);
    if (tool === undefined)
      problems.push({ path: `tools[${i}]`, given: name, expected: `one of ${TOOLS.join(', ')}` });
    else chosen.add(tool);
  }
  return [...chosen];
}

function checkExtra(text: string | undefined, problems: Problem[]): Record<string, unknown> {
  if (text === undefined) return {};
  const expected =
    'a JSON object with members that are not part of the specification; text without NUL and unpaired surrogates';
  const value = tryParseJson(text);
  if (!isPlain(value)) {
    problems.push({ path: 'extra', given: text, expected });
    return {};
  }
  const unknown = listPlaceholders(value).find((name) => !PLACEHOLDERS.some((known) => known === name));
  if (unknown !== undefined) {
    const known = PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ');
    problems.push({ path: 'extra', given: `{{${unknown}}}`, expected: `a known placeholder: ${known}` });
    return {};
  }
  const taken = Object.keys(value).filter((name) => REQUEST_MEMBERS.has(name) || name === '__proto__');
  if (taken.length === 0 && isStorable(value)) return { ...value };
  problems.push({ path: ['extra', ...taken.slice(0, 1)].join('.'), given: text, expected });
  return {};
}

/** Postgres cannot store NUL or unpaired surrogates in JSON. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every((member) => member.every(isStorable));
}

function checkLabels(labels: readonly string[], problems: Problem[]): string[] {
  for (const [i, label] of labels.entries()) {
    if (label.trim() === '' || label.length > 60)
      problems.push({ path: `labels[${i}]`, given: label, expected: '1 to 60 characters' });
  }
  return [...new Set(labels.map((label) => label.trim()))];
}

function checkChoice<const T extends string>(
  allowed: readonly T[],
  text: string | undefined,
  path: string,
  fallback: NoInfer<T>,
  problems: Problem[],
): T {
  if (text === undefined) return fallback;
  const choice = allowed.find((value) => value.toLowerCase() === text.trim().toLowerCase());
  if (choice === undefined) problems.push({ path, given: text, expected: `one of ${allowed.join(', ')}` });
  return choice ?? fallback;
}

function refuseMember<T>(path: string, member: unknown, value: T, problems: Problem[]): T {
  if (member !== undefined)
    problems.push({ path, given: member, expected: 'nothing: a microblog search has no such option' });
  return value;
}
