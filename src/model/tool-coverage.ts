/**
 * Coverage by tool: which tools a run asked, which responded, and why not. "Did not respond" is never shown as "found
 * nothing", and what a service does not report is unknown.
 */

import { formatCount } from '../lib/display-format.ts';
import type { Tool } from './enumerations.ts';
import { RUN_CODES, type RunCode } from './errors.ts';

/** Why a source of the search service returned nothing. Codes appear in `warnings` and logs: only add to this list. */
const OUTAGES = {
  source_off: 'has no source',
  source_needs_key: 'needs a key',
  source_quota: 'has used up its allowance',
  source_busy: 'reached its rate limit',
  source_resting: 'is paused after failures',
  source_timeout: 'timed out',
  source_refused: 'was rejected by its source',
  source_failed: 'failed',
} as const;
export type OutageCode = keyof typeof OUTAGES;

export function isOutageCode(code: string | null): code is OutageCode {
  return code !== null && Object.hasOwn(OUTAGES, code);
}

/** Outages that last until somebody configures the service. */
export function isUnconfigured(code: string | null): boolean {
  return code === 'source_needs_key' || code === 'source_off';
}

/** Why a tool has no results in a run, besides the codes of failed runs. Stored: only add to this list. */
const TOOL_REASONS = {
  ...OUTAGES,
  tool_unanswered: 'did not respond',
  not_reported: 'is not reported by the service',
  /** It responded, and more match than it returned. */
  list_full: 'returned a full list',
} as const;
export type ToolReason = keyof typeof TOOL_REASONS | RunCode;
export const TOOL_REASON_NAMES = [...new Set([...Object.keys(TOOL_REASONS), ...Object.keys(RUN_CODES)])] as [
  ToolReason,
  ...ToolReason[],
]; // Object.keys loses the key type

/** A tool whose results a new search would lack. */
export type MissingTool = {
  tool: Tool;
  reason: ToolReason;
  detail: string | null;
  /** Null: it has no source, until somebody configures one. Otherwise the newest run that asked it, without a response. */
  observed_at: Date | null;
};

/** What a response says about a tool. A tool that it does not mention has no report. */
export type ToolReport = {
  tool: Tool;
  /** Null: the response does not say. */
  responded: boolean | null;
  /** Items in the tool's results, valid or not; null: the response does not say. */
  items: number | null;
  reason: ToolReason | null;
  /** The service's message, cleaned: untrusted text. */
  detail: string | null;
};

/** Coverage of one tool by a run. */
export type ToolCoverage = ToolReport & {
  /** Whether the request named it; a service may return results of others. */
  asked: boolean;
  /** When the search last had a response of a tool that did not respond now; null: never, or it responded. */
  last_responded_at: Date | null;
  observed_at: Date | null;
};

/** The time since the last response is worth its date from this age on, in milliseconds. */
const LONG_ABSENCE_MS = 24 * 60 * 60 * 1_000;

/**
 * One sentence about the tools of a run that did not respond, and those whose list was full: `4 of 7 tools responded: Web Search needs a key
 * (BRAVE_API_KEY); Discussion Board Search did not respond, no response since 14 Nov`. Safe to display.
 * @returns null if all responded in full, or the run failed as a whole, which its code says
 */
export function describeToolCoverage(
  tools: readonly ToolCoverage[],
  formatDay: (at: Date) => string,
): string | null {
  const queried = tools.filter((tool) => tool.asked);
  const missing = queried.filter(({ responded }) => responded === false);
  const full = queried.filter(({ responded, reason }) => responded === true && reason === 'list_full');
  const cut =
    full.length === 0 ? null : `${full.map(({ tool }) => tool).join(', ')}: full list, more may match`;
  if (missing.every(({ reason }) => reason === null || !isToolReason(reason))) return cut;
  return [describeMissingTools(queried, missing, formatDay), ...(cut === null ? [] : [cut])].join('; ');
}

function describeMissingTools(
  queried: readonly ToolCoverage[],
  missing: readonly ToolCoverage[],
  formatDay: (at: Date) => string,
): string {
  const words = missing.map((tool) => describeMissingTool(tool, formatDay)).join('; ');
  if (queried.length === 1) return words;
  const responded = queried.filter((tool) => tool.responded === true).length;
  if (responded + missing.length < queried.length)
    return `${missing.length} of ${queried.length} tools did not respond: ${words}`;
  return `${responded === 0 ? 'none' : responded} of ${queried.length} tools responded: ${words}`;
}

/** `Web Search needs a key (BRAVE_API_KEY or EXA_API_KEY)`. */
function describeMissingTool(
  tool: Pick<ToolCoverage, 'tool' | 'reason' | 'detail' | 'observed_at' | 'last_responded_at'>,
  formatDay: (at: Date) => string,
): string {
  const { reason, detail, observed_at, last_responded_at: last } = tool;
  const what = `${tool.tool} ${describeToolReason(reason, detail)}`;
  const isLong =
    last !== null && observed_at !== null && observed_at.getTime() - last.getTime() >= LONG_ABSENCE_MS;
  return isLong ? `${what}, no response since ${formatDay(last)}` : what;
}

/** `needs a key (BRAVE_API_KEY)`: only names of variables are taken from the service's message. */
export function describeToolReason(reason: ToolReason | null, detail: string | null): string {
  if (reason === null) return TOOL_REASONS.tool_unanswered;
  const words = isToolReason(reason) ? TOOL_REASONS[reason] : `did not respond: ${RUN_CODES[reason]}`;
  const variables = listVariables(detail ?? '');
  return isUnconfigured(reason) && variables.length > 0 ? `${words} (${variables.join(' or ')})` : words;
}

/** What keys would add: `Video Search (YOUTUBE_API_KEY)`. Tools that no key adds are left out. */
export function describeAddedTools(missing: readonly Pick<MissingTool, 'tool' | 'detail'>[]): string[] {
  return missing.flatMap(({ tool, detail }) => {
    const variables = listVariables(detail ?? '').filter((name) => name !== 'SERVICE_SOURCES');
    return variables.length === 0 ? [] : [`${tool} (${variables.join(' or ')})`];
  });
}

/** Whether a reason is about one tool, and not about a run that failed as a whole. */
export function isToolReason(reason: ToolReason): reason is keyof typeof TOOL_REASONS {
  return Object.hasOwn(TOOL_REASONS, reason);
}

const MAX_VARIABLES = 4;

/** Names of environment variables in a message. */
function listVariables(message: string): string[] {
  const words = message.split(/[^A-Z0-9_]/);
  return [...new Set(words.filter((word) => /^[A-Z]/.test(word) && word.includes('_')))].slice(
    0,
    MAX_VARIABLES,
  );
}

/** `2 of 7 tools did not respond`, for lists of runs. Null if all did, or the run failed, which its code says. */
export function describeUnresponsiveCount(run: {
  code: RunCode | null;
  tools_asked: number;
  tools_silent: number;
}): string | null {
  if (run.tools_silent === 0 || run.code !== null) return null;
  return `${run.tools_silent} of ${formatCount(run.tools_asked, 'tool')} did not respond`;
}

/** The same of several searches: `News Forum Search failed, no response since 14 Nov (3 searches)`. */
export function describeUnresponsiveTool(
  tool: Parameters<typeof describeMissingTool>[0] & {
    searches: number;
    /** Slug of the first. */
    search: string;
  },
  formatDay: (at: Date) => string,
): string {
  const { searches, search } = tool;
  const whose = searches === 1 ? search : `${searches} searches`;
  return `${describeMissingTool(tool, formatDay)} (${whose})`;
}
