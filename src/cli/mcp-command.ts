/** `mcp`: the tools of AI assistants on stdin and stdout, which carry nothing but the protocol. A server calls them, or this process. */
import { isPlain, tryParseJson } from '../lib/json-values.ts';
import type { Api } from './api-client.ts';
import { ask, askBytes } from './api-requests.ts';
import { ASSISTANT, readText } from './byte-replies.ts';
import type { Cli } from './command-context.ts';
import type { LocalRuns } from './local-runs.ts';
import { findPublicBase } from './public-base.ts';
import type { ToolReply } from '../mcp/call-tool.ts';
import type { CallTool } from '../mcp/tool-server.ts';
import type { Command } from 'commander';

export function registerMcp(command: Command, cli: Cli): void {
  command
    .description(
      'Serves AI assistants over stdio (Model Context Protocol): what is new, search, trends, answers, SQL, and new topics after a forecast. The assistant starts this command.',
    )
    .option('--read-only', 'without watch, which creates topics')
    .addHelpText(
      'after',
      '\nExample, in the configuration of an assistant:\n  {"mcpServers": {"strandline": {"command": "strandline", "args": ["mcp"]}}}\n\nSet up: docs/how-to/assistants.md\n',
    )
    .action(({ readOnly = false }: { readOnly?: boolean }) =>
      cli.withApi(
        async (api, stopping) => {
          const { serveStreams } = await import('../mcp/tool-server.ts');
          const { stdin = process.stdin, stdout } = cli.io;
          const tools =
            api.here === undefined
              ? await openRemoteTools(cli, api, readOnly)
              : await openLocalTools(cli, api.here, readOnly);
          try {
            await serveStreams({ stdin, stdout, stopping }, tools.call);
          } finally {
            await tools.close();
          }
        },
        { runsIn: 'server', stops: true },
      ),
    );
  cli.callers.add(command);
}

type Tools = { call: CallTool; close: () => Promise<void> };

async function openLocalTools(cli: Cli, { program }: LocalRuns, readOnly: boolean): Promise<Tools> {
  const [{ callIn }, { openStatements }, { expandScopes, LOCAL_VISITOR }, shares] = await Promise.all([
    import('../mcp/tool-server.ts'),
    import('../app/sql-statements.ts'),
    import('../monitor/access/visitor-scopes.ts'),
    import('../monitor/http/visitor-shares.ts'),
  ]);
  const { ctx, embedded } = program;
  const base = await findPublicBase(cli);
  const visitor = readOnly ? { ...LOCAL_VISITOR, scopes: expandScopes(['read', 'sql']) } : LOCAL_VISITOR;
  const client = { visitor, clientAddress: '' };
  const share = shares.createShare('statements', shares.MAX_CONCURRENT_STATEMENTS);
  const statements = openStatements(program, share);
  return {
    call: callIn((signal) => ({
      ctx,
      visitor,
      page: { limit: 0, after: undefined },
      findPublicBase: () => base,
      stopping: signal,
      base,
      embedded,
      askSql: async (sql) => statements.ask(client, { sql, form: 'json', signal }),
      takeFind: () => () => {},
      countRun: () => Promise.resolve(),
    })),
    close: () => statements.close(),
  };
}

/** Each call is a request to the server, which has the same tools, because it has the same version. */
async function openRemoteTools(cli: Cli, api: Api, readOnly: boolean): Promise<Tools> {
  // Whether it is there, and takes the token.
  await ask(api, 'listServices');
  const { TOOLS } = await import('../mcp/tools.ts');
  return {
    close: () => Promise.resolve(),
    call: async (name, input, signal) => {
      const tool = TOOLS.find((each) => each.name === name);
      if (tool === undefined) return undefined;
      if (readOnly && tool.changes === true)
        return {
          text: 'strandline mcp was started with --read-only, and this tool may change something',
          isError: true,
        };
      let reply: ToolReply | undefined;
      try {
        // The server may have ended or been started again since.
        await cli.withApi(async ({ here, ...server }) => {
          reply =
            here === undefined
              ? await callAt(server, name, input)
              : await callOnce(cli, here, readOnly, { name, input, signal });
        });
      } catch (error) {
        return { text: error instanceof Error ? error.message : String(error), isError: true };
      }
      return reply;
    },
  };
}

async function callAt(api: Api, name: string, input: unknown): Promise<ToolReply> {
  const params = { name, arguments: input };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return readReply(await readText(await askBytes(api, ASSISTANT, message)));
}

async function callOnce(
  cli: Cli,
  here: LocalRuns,
  readOnly: boolean,
  { name, input, signal }: { name: string; input: unknown; signal: AbortSignal },
): Promise<ToolReply | undefined> {
  const tools = await openLocalTools(cli, here, readOnly);
  try {
    return await tools.call(name, input, signal);
  } finally {
    await tools.close();
  }
}

/** The result of a message, which is JSON or the data of an event. */
function readReply(text: string): ToolReply {
  const reply = tryParseJson(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  const { result, error } = isPlain(reply) ? reply : {};
  if (isPlain(result) && Array.isArray(result['content'])) {
    const texts = result['content'].filter(isPlain).map((part) => part['text']);
    return { text: texts.join('\n'), isError: result['isError'] === true };
  }
  return {
    text: isPlain(error) ? String(error['message']) : 'the server did not reply as strandline does',
    isError: true,
  };
}
