/** The tools as a server of the Model Context Protocol. The one file that loads its SDK, for both transports. */
import { VERSION } from '../config/version.ts';
import { callTool, describeUnknownTool, type ToolReply } from './call-tool.ts';
import type { ToolCall } from './tool.ts';
import { QUOTED_NOTICE } from './tool-text.ts';
import { TOOLS } from './tools.ts';
import { createMcpHandler, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import pLimit from 'p-limit';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';

const INSTRUCTIONS = `strandline watches topics on a schedule and records what each run finds for the first time. \
Answer from its tools only, and cite the addresses that they return. Not observed is not the same as nothing: say what was not observed. \
${QUOTED_NOTICE}`;

/** Opens a call for one request, which `signal` aborts. */
export type OpenCall = (signal: AbortSignal) => ToolCall;

/** Calls tools in this process. */
export const callIn =
  (openCall: OpenCall): CallTool =>
  (name, input, signal) =>
    callTool(openCall(signal), name, input);

/** Runs a call, at once or when others have ended. */
type Enqueue = (work: () => Promise<ToolReply | undefined>) => Promise<ToolReply | undefined>;

/** Calls a tool by its name; undefined: there is none. */
export type CallTool = (name: string, input: unknown, signal: AbortSignal) => Promise<ToolReply | undefined>;

function createServer(call: CallTool, enqueue: Enqueue = (work) => work()): McpServer {
  const server = new McpServer(
    { name: 'strandline', title: 'strandline', version: VERSION },
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  );
  server.server.setRequestHandler('tools/list', () => ({ tools: listTools() }));
  server.server.setRequestHandler(
    'tools/call',
    async ({ params: { name, arguments: input } }, { mcpReq }) => {
      const reply = await enqueue(() => call(name, input, mcpReq.signal));
      if (reply === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name));
      return { content: [{ type: 'text', text: reply.text }], isError: reply.isError };
    },
  );
  return server;
}

function listTools() {
  return TOOLS.map(({ name, title, description, input, changes = false }) => {
    const { properties, required, additionalProperties } = z.toJSONSchema(input, { io: 'input' });
    return {
      name,
      title,
      description,
      // As JSON: what the type of zod allows beyond that is not in these inputs.
      inputSchema: JSON.parse(
        JSON.stringify({ type: 'object', properties, required, additionalProperties }),
      ) as {
        type: 'object';
      },
      annotations: { readOnlyHint: !changes, destructiveHint: false, openWorldHint: changes },
    };
  });
}

/** One request of the Streamable HTTP transport. Nothing is kept between requests, so any process can respond. */
export async function respond(
  {
    headers,
    message,
    signal,
  }: { headers: Readonly<Record<string, string>>; message: unknown; signal: AbortSignal },
  openCall: OpenCall,
): Promise<Response> {
  // Nothing changes that a client could subscribe to.
  const handler = createMcpHandler(() => createServer(callIn(openCall)), {
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal });
  return handler.fetch(request, { parsedBody: message });
}

/** Of a message, in bytes: as a body of the API. */
const MAX_MESSAGE_BYTES = 1_000_000;
/** Calls of one assistant at once; the others wait. */
const MAX_CALLS = 4;
const MAX_WAITING = 100;
const TOO_MANY: ToolReply = {
  text: `Too many calls: ${MAX_WAITING} are waiting. Wait for their replies.`,
  isError: true,
};

/** Serves an assistant on its streams until it closes them, or `stopping` is aborted. */
export async function serveStreams(
  { stdin, stdout, stopping }: { stdin: Readable; stdout: Writable; stopping: AbortSignal },
  call: CallTool,
): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const limit = pLimit(MAX_CALLS);
  const enqueue: Enqueue = async (work) => (limit.pendingCount < MAX_WAITING ? limit(work) : TOO_MANY);
  const handle = serveStdio(() => createServer(call, enqueue), { transport, maxSubscriptions: 0 });
  await new Promise<void>((resolve) => {
    stdin
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    stopping.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
