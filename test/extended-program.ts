/**
 * The program with a source and a kind of channel that it does not have: each is its file and one entry, and nothing else of
 * it is changed. It runs the commands that it is sent, in this one process.
 */
import { Writable } from 'node:stream';
import { CHANNEL_KINDS } from '../src/monitor/alerts/channels/channel-kinds.ts';
import { SOURCE_REGISTRY, SOURCE_VARIABLES } from '../src/service/sources/source-registry.ts';
import { PIER } from './service/sources/pier.ts';
import { noteKind } from './tell/note-kind.ts';

/** To the process. */
export type Order = { id: number; argv: readonly string[]; env: Record<string, string> };
/** From the process: what a command prints, and how it ends. */
export type Word = { id: number } & ({ stream: 'out' | 'err'; text: string } | { code: number });

Object.assign(CHANNEL_KINDS, { note: noteKind });
Object.assign(SOURCE_REGISTRY, [...SOURCE_REGISTRY, PIER]);
Object.assign(SOURCE_VARIABLES, { [PIER.facts.name]: PIER.variables }); // made of the registry as it was loaded
const { runCli } = await import('../src/cli/command-line.ts');
// What commands know of operations, as `npm run -s operations:print` prints it.
const { listSpecs } = await import('../src/cli/operation-specs.ts');
const { printSpecs } = await import('./house/operations/print.ts');
Object.assign(listSpecs(), JSON.parse(await printSpecs()));

const say = (word: Word) => void process.send?.(word);

process.on('message', ({ id, argv, env }: Order) => {
  const print = (stream: 'out' | 'err') =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        say({ id, stream, text: chunk.toString() });
        done();
      },
    });
  void runCli(argv, { stdout: print('out'), stderr: print('err'), env, isTTY: false }).then((code) =>
    say({ id, code }),
  );
});
