/** A command line on a small world: arguments go in, and what a shell would see comes out. */
import { Writable } from 'node:stream';
import { type Cli, openCli } from '../../src/cli/command-context.ts';
import * as configuration from '../../src/cli/configuration.ts';
import { COMMAND_NAMES } from '../../src/cli/command-registry.ts';
import { type Io, openShell } from '../../src/cli/terminal-io.ts';
import { runCli } from '../../src/cli/command-line.ts';
import type { DatabaseKind } from '../../src/model/database-kind.ts';
import type { Program } from '../../src/app/program.ts';
import { startStub, type StubService } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

export type Printed = { code: number; stdout: string; stderr: string };

export type Stand = {
  world: World;
  stub: StubService;
  home: Program;
  run(argv: readonly string[], over?: Partial<Io>): Promise<Printed>;
  /** Runs a command that must succeed, and parses its JSON. */
  json<T>(...argv: string[]): Promise<T>;
  close(): Promise<void>;
};

/** @param kind in the sandbox, the stub is its service, and each command needs `--sandbox` */
export async function makeStand(kind: DatabaseKind = 'real'): Promise<Stand> {
  const stub = await startStub();
  const world = await makeWorld({ hosted: stub.url, kind });
  const home = homeOf(world);
  const env = {
    DATABASE_URL: world.database.url,
    DATABASE_READER_URL: world.database.readerUrl,
    SEARCH_API_URL: stub.url,
    SEARCH_API_KEY: 'k$y-of-the-test',
  };
  return {
    world,
    stub,
    home,
    ...commandsOf(home, env),
    close: async () => {
      await stub.close();
      await world.close();
    },
  };
}

/** Runs commands on an open program, as a shell with these variables would. */
export function commandsOf(
  home: Program,
  env: Readonly<Record<string, string>>,
): Pick<Stand, 'run' | 'json'> {
  const run: Stand['run'] = async (argv, over = {}) => {
    const stdout = collector();
    const stderr = collector();
    const io: Io = {
      stdout: stdout.stream,
      stderr: stderr.stream,
      isTTY: false,
      ...over,
      env: { ...env, ...over.env },
    };
    const open = ({ kind }: { kind: DatabaseKind }) =>
      kind === home.ctx.kind
        ? Promise.resolve(home)
        : Promise.reject(new Error(`the command is for the ${kind} database`));
    const code = await runCli(argv, io, { open });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return {
    run,
    json: async <T>(...argv: string[]) => {
      const { code, stdout, stderr } = await run([...argv, '--json']);
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T; // what a test expects of its own command
    },
  };
}

/** The world as a home; its resources are closed by the world. */
export function homeOf({ ctx, database }: World): Program {
  return {
    ctx,
    backend: () => Promise.reject(new Error('this test has no worker')),
    services: {
      endpoint: (kind) => ctx.endpoint(kind),
      ownSources: () => ctx.ownSources(),
      missingTools: (kind) => ctx.missingTools(kind),
      serviceSources: () => ctx.serviceSources(),
      progress: (kind, runId) => ctx.progress(kind, runId),
      probe: () => Promise.resolve([]),
      watchSources: () => {},
      health: () => Promise.resolve([]),
      local: () => Promise.reject(new Error('this test has no local service')),
      close: () => Promise.resolve(),
    },
    databaseUrl: database.url,
    readerUrl: () => database.readerUrl,
    embedded: null,
    notes: [],
    close: () => Promise.resolve(),
  };
}

export function collector(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** A command line without output, for tests that call functions directly. */
export function quietCli(over: Partial<Io> = {}): Cli {
  const io = { stdout: collector().stream, stderr: collector().stream, env: {}, isTTY: false, ...over };
  return openCli(openShell(io, COMMAND_NAMES), { configuration });
}
