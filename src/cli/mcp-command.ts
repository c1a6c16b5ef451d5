/** `mcp`: the tools of AI assistants on stdin and stdout, which carry nothing but the protocol. */
import { openStatements } from '../app/sql-statements.ts';
import { expandScopes, LOCAL_VISITOR } from '../monitor/access/visitor-scopes.ts';
import { createShare, MAX_CONCURRENT_STATEMENTS } from '../monitor/http/visitor-shares.ts';
import type { Cli } from './command-context.ts';
import { findPublicBase } from './public-base.ts';
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
      cli.withServer(async (program, stopping) => {
        const { serveStreams } = await import('../mcp/tool-server.ts');
        const { ctx, embedded } = program;
        const base = await findPublicBase(cli);
        const visitor = readOnly
          ? { ...LOCAL_VISITOR, scopes: expandScopes(['read', 'sql']) }
          : LOCAL_VISITOR;
        const client = { visitor, clientAddress: '' };
        const statements = openStatements(program, createShare('statements', MAX_CONCURRENT_STATEMENTS));
        try {
          const { stdin = process.stdin, stdout } = cli.io;
          await serveStreams({ stdin, stdout, stopping }, (signal) => ({
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
          }));
        } finally {
          await statements.close();
        }
      }),
    );
}
