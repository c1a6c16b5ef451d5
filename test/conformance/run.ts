/**
 * Is a server one of the specification? `npm run -s conformance -- --url URL --key KEY [--names neutral|named|named-2026|FILE]
 * [--prompt TEXT] [--brief] [--strict] [--json]`; exit 0 yes, 1 no, 2 asked wrongly.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readNames } from './names.ts';
import { Unusable } from './unusable.ts';
import { linesOf, summaryOf } from './report.ts';
import { walk } from './walk.ts';

const USAGE = `npm run -s conformance -- --url URL (--key KEY | --key-file FILE) [options]

  --url URL       base address, in front of the service's prefix: http://127.0.0.1:7811/sandbox
  --key KEY       the key, in single quotes where it holds a $
  --names NAMES   neutral (default), named, named-2026 (as the hosted service answers since 2026; of strandline's own
                  service: --url http://127.0.0.1:7811/sandbox/2026), or a JSON file with the server's names
  --prompt TEXT   what to ask for; something that is much written about (default: tidal power)
  --brief         six calls, for a server that is paid by the call
  --strict        what the specification is silent about fails too
  --json          the checks as JSON
`;

process.exitCode = await main().catch((error: unknown) => {
  // Wrong usage is explained; anything else is a bug and shows its stack.
  if (!(error instanceof Unusable)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  return 2;
});

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { url, names, prompt, brief, strict, json } = options;
  const key = options['key-file'] ? readKey(options['key-file']) : (options.key ?? '');
  const asked = { url: url ?? '', names: readNames(names ?? 'neutral'), key, brief: brief ?? false };
  const { report, calls } = await walk({ ...asked, ...(prompt !== undefined && { prompt }) });
  const checks = report.checks();
  const summary = summaryOf(checks);
  if (json === true) process.stdout.write(`${JSON.stringify({ summary, calls, checks }, null, 2)}\n`);
  else {
    const words = Object.entries(summary).map(([outcome, count]) => `${count} ${outcome}`);
    process.stdout.write(`${[...linesOf(checks), '', `${words.join(', ')}; ${calls} calls`].join('\n')}\n`);
  }
  return summary.failed > 0 || (strict === true && summary.differs > 0) ? 1 : 0;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Unusable(`--key-file: ${file} cannot be read`);
  }
}

function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string' },
        key: { type: 'string' },
        'key-file': { type: 'string' },
        names: { type: 'string' },
        prompt: { type: 'string' },
        brief: { type: 'boolean' },
        strict: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    });
    const complete =
      values.url !== undefined && (values.key !== undefined || values['key-file'] !== undefined);
    return complete ? values : undefined;
  } catch {
    return undefined;
  }
}
