/** Calls a tool with what an assistant sent. Errors are words for the assistant: what was wrong, where, what to do. */
import { findNearestName } from '../lib/nearest-name.ts';
import { cleanLine, truncateText } from '../lib/text.ts';
import { assertScopes, Denied, hasScopes } from '../monitor/access/visitor-scopes.ts';
import { type Failure, mapErrorToFailure } from '../monitor/http/error-statuses.ts';
import { decodeInput } from '../monitor/http/request-problems.ts';
import type { AnyTool, ToolCall } from './tool.ts';
import { TOOLS } from './tools.ts';

export type ToolReply = { text: string; isError: boolean };

/** @returns undefined if there is no such tool */
export async function callTool(call: ToolCall, name: string, input: unknown): Promise<ToolReply | undefined> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  try {
    assertAllowed(call, tool);
    return { text: await tool.run(call, decodeInput(tool.input, input ?? {}) as never), isError: false }; // by its schema
  } catch (error) {
    const failure = mapErrorToFailure(error);
    if (failure.status >= 500 && failure.status !== 503)
      call.ctx.log.error({ err: error, tool: name }, 'tool failed');
    return { text: describeFailure(failure), isError: true };
  }
}

function describeFailure({ code, detail, errors, retryAfterSeconds: seconds }: Failure): string {
  const lines = errors.map(
    ({ path, given, expected }) => `- ${path}: got ${quoteGiven(given)}; expected ${expected}`,
  );
  return [
    errors.length > 0
      ? 'The input is not valid, so nothing was done:'
      : code === 'internal'
        ? 'Internal error; the log of strandline has the details.'
        : detail,
    ...lines,
    ...(seconds === undefined ? [] : [`Try again in ${seconds} s.`]),
  ].join('\n');
}

function assertAllowed({ visitor }: ToolCall, { scope }: AnyTool): void {
  if (visitor.kind === 'local' && !hasScopes(visitor, scope))
    throw new Denied(
      'scope',
      'strandline mcp was started with --read-only, and this tool may change something',
    );
  assertScopes(visitor, scope);
}

const MAX_GIVEN = 80;

function quoteGiven(given: unknown): string {
  if (given === undefined) return 'nothing';
  const shown = typeof given === 'string' ? cleanLine(given) : given;
  return truncateText(JSON.stringify(shown), MAX_GIVEN);
}

/** `there is no tool "serch" (did you mean search?); tools: overview, …`. */
export function describeUnknownTool(name: string): string {
  const names = TOOLS.map((tool) => tool.name);
  const near = findNearestName(name, names);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return `there is no tool ${quoteGiven(name)}${hint}; tools: ${names.join(', ')}`;
}
