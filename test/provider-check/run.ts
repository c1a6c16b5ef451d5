/**
 * Do the configured providers respond as their adapters expect? `npm run -s sources:check -- [NAME...] [--json]`: one
 * search for each source of the configuration. Exit 0 yes, 1 no, 2 nothing could be checked.
 */
import { parseArgs } from 'node:util';
import { renderTable } from '../../src/cli/terminal-table.ts';
import { detectTerminalPage } from '../../src/cli/terminal-io.ts';
import { readConfig } from '../../src/config/config.ts';
import { environment } from '../../src/config/environment.ts';
import { VERSION } from '../../src/config/version.ts';
import { InvalidInput } from '../../src/model/errors.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openAgent } from '../../src/service/sources/resilience/http-request.ts';
import { chooseSources, type OfferedSource } from '../../src/service/sources/source-registry.ts';
import { memoryPorts } from '../service/sources/memory-ports.ts';
import { checkSource, type SourceCheck } from './check.ts';

const USAGE = `npm run -s sources:check -- [NAME...] [--json]

Searches once with each source that is on (SERVICE_SOURCES), or with those named, and says what differs from what
strandline expects. Paid providers charge for it; it does not count in daily allowances.
Exit 0: all as expected; 1: something differs; 2: nothing could be checked.
`;

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof InvalidInput)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  return 2;
});

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { service, secrets } = readConfig();
  const { offered } = chooseSources(service.sources, VERSION);
  const chosen = chooseNamed(offered, options.names);
  const adapters = chosen.flatMap(({ adapter }) => adapter ?? []);
  if (adapters.length === 0) {
    process.stderr.write('error: no source to check: none is on (SERVICE_SOURCES)\n');
    return 2;
  }
  const agent = openAgent(Math.max(...adapters.map(({ pace }) => pace.burst)));
  const means = {
    clock: systemClock,
    log: createLogger('silent', secrets),
    ports: memoryPorts(systemClock),
    who: `strandline/${VERSION} (${service.sources.contact ?? 'no contact set'})`,
    agent,
  };
  const checks: SourceCheck[] = [];
  for (const adapter of adapters) {
    if (process.stderr.isTTY) process.stderr.write(`checking ${adapter.name}\r`);
    checks.push(await checkSource(adapter, means));
    await adapter.close?.();
  }
  await agent.destroy();
  const off = options.names.length > 0 ? [] : offered.filter(({ isOn }) => !isOn);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ checks, off: off.map(describeOff) }, null, 2)}\n`);
  else process.stdout.write(`${renderChecks(checks, off).join('\n')}\n`);
  if (checks.every(({ outcome }) => outcome === 'unreached')) {
    process.stderr.write(
      `No network: none of ${checks.length} providers could be reached. Nothing is known about them.\n`,
    );
    return 2;
  }
  return checks.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
}

/** @throws InvalidInput for a name that is unknown or not configured */
function chooseNamed(offered: readonly OfferedSource[], names: readonly string[]): readonly OfferedSource[] {
  if (names.length === 0) return offered.filter(({ isOn }) => isOn);
  return names.map((given) => {
    const source = offered.find(({ name }) => name === given);
    const expected =
      source === undefined
        ? `one of ${offered.map(({ name }) => name).join(', ')}`
        : `a configured source${source.needs.length > 0 ? `: it needs ${source.needs.join(' and ')}` : ''}`;
    if (source?.adapter === undefined) throw new InvalidInput([{ path: 'NAME', given, expected }]);
    return source;
  });
}

function renderChecks(checks: readonly SourceCheck[], off: readonly OfferedSource[]): string[] {
  const { stdout } = process;
  const page = detectTerminalPage({ env: environment(), isTTY: stdout.isTTY, columns: stdout.columns });
  const table = renderTable(
    checks,
    [
      { head: 'source', cell: ({ name }) => name },
      { head: 'outcome', cell: ({ outcome }) => outcome },
      { head: 'results', cell: ({ results }) => String(results), right: true },
      { head: 'dated', cell: ({ dated }) => String(dated), right: true },
      { head: 'ms', cell: ({ ms }) => String(ms), right: true },
    ],
    page,
  );
  const details = checks.flatMap(({ name, differences, unseen }) => [
    ...differences.map((words) => `${name}: ${words}`),
    ...(unseen.length === 0 ? [] : [`${name}: (optional, in no response: ${unseen.join(', ')})`]),
  ]);
  return [
    ...table,
    ...(details.length === 0 ? [] : ['', ...details]),
    ...(off.length === 0 ? [] : ['', `off: ${off.map(describeOff).join(', ')}`]),
  ];
}

function describeOff({ name, needs, adapter }: OfferedSource): string {
  return adapter === undefined && needs.length > 0 ? `${name} (needs ${needs.join(' and ')})` : name;
}

function readOptions(args: string[]): { names: string[]; json: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    return { names: positionals, json: values.json };
  } catch {
    return undefined;
  }
}
