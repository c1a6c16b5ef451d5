/** A tool of an AI assistant: one question, and a short text as its answer. Declared in a file of its own; `tools.ts` lists all. */
import type { z } from 'zod';
import type { Scope } from '../monitor/access/visitor-scopes.ts';
import type { Call } from '../monitor/operation.ts';
import type { FinishedStatement } from '../store/reader/reader-host.ts';

/** Who calls a tool, and what it needs. */
export type ToolCall = Call & {
  /** Start of the addresses of pages, without a slash at its end. */
  base: string;
  /** Runs a statement of the client as the reader, within its limits. @throws Refused, Denied */
  askSql: (sql: string) => Promise<FinishedStatement>;
  /** Takes a place for a text search, and returns the function that frees it. @throws Denied, Refused */
  takeFind: () => () => void;
  /** Counts a call that may cost something. @throws Denied */
  countRun: () => Promise<void>;
};

export type Tool<In extends z.ZodObject = z.ZodObject> = {
  name: string;
  /** As an assistant shows it to a person. */
  title: string;
  /** When to call it, and what it returns. The assistant reads it in every conversation, so it is short. */
  description: string;
  /** All are needed. */
  scope: Scope | readonly Scope[];
  /** It may change something. */
  changes?: true;
  input: In;
  run(call: ToolCall, input: z.output<In>): Promise<string>;
};

/** A tool whose types are erased: what its schema validated fits its `run`. */
export type AnyTool = Omit<Tool, 'run'> & { run(call: ToolCall, input: never): Promise<string> };

/** Infers the types of a declaration. */
export function declareTool<const In extends z.ZodObject>(tool: Tool<In>): Tool<In> {
  return tool;
}
