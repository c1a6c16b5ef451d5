/** From what a user has set to what answers. */
import { SOURCES } from '../../contract/enumerations.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Logger } from '../../engine/logger.ts';
import type { ServicePorts } from '../ports.ts';
import { sandboxSources } from '../sandbox/sources.ts';
import type { SearchSource } from '../source.ts';
import { archiveSources } from './stand-ins/archive.ts';
import { openAgent } from './guard/ask.ts';
import { boardThroughWeb } from './stand-ins/board-through-web.ts';
import { type LiveHealth, type LiveSource, liveSource } from './live.ts';
import { type Probed, probeSources } from './probe.ts';
import { chooseSources, type Offered, type SourceStatement } from './registry.ts';
import type { SourceSettings } from './settings.ts';
import { silentSource } from './stand-ins/silent.ts';

/** A source and how it has been; `live` is there for those that are asked. */
export type SourceHealth = SourceStatement & { live: LiveHealth | undefined };

export type OpenedSources = {
  /** What answers; for a tool that has no source one that says why. */
  sources: readonly SearchSource[];
  statements: readonly SourceStatement[];
  /** Asks what needs no key, for two seconds at most. Never throws. */
  probe: () => Promise<readonly Probed[]>;
  health: () => Promise<readonly SourceHealth[]>;
  /** Ends what is under way. */
  close: () => Promise<void>;
};

/** @throws InvalidInput for a name that is not known, or whose key is not set */
export function openSources(
  settings: SourceSettings,
  deps: { clock: Clock; log: Logger; ports: ServicePorts; version: string },
): OpenedSources {
  const { offered, archive, sandbox } = chooseSources(settings, deps.version);
  const agent = openAgent(Math.max(...offered.map(({ adapter }) => adapter?.pace.burst ?? 1)));
  const who = `strandline/${deps.version} (${settings.contact ?? 'no contact set'})`;
  const live = offered.flatMap(({ isOn, adapter }) =>
    isOn && adapter !== undefined ? [liveSource(adapter, { ...deps, who, agent })] : [],
  );
  const board = boardOf(live);
  const answering: SearchSource[] = sandbox
    ? [...sandboxSources()]
    : [
        ...live,
        ...(board === undefined ? [] : [board]),
        ...(archive ? archiveSources(deps.ports.archive) : []),
      ];
  const silent = SOURCES.filter((source) => !answering.some((one) => one.source === source)).map((source) =>
    silentSource(source, offered),
  );
  const statements = [...offered.map(statementOf), ...(board === undefined ? [] : [statementOfBoard(board)])];
  return {
    sources: [...answering, ...silent],
    statements,
    probe: () => probeSources(statements, live),
    health: () =>
      Promise.all(
        statements.map(async (statement) => ({
          ...statement,
          live: await live.find(({ name }) => name === statement.name)?.health(),
        })),
      ),
    close: () => agent.destroy(),
  };
}

/** The first web source is asked for the discussion board too, where that cannot be asked itself. */
function boardOf(live: readonly LiveSource[]): SearchSource | undefined {
  const web = live.find(({ source }) => source === 'web');
  return web === undefined || live.some(({ name }) => name === 'reddit') ? undefined : boardThroughWeb(web);
}

function statementOf({ name, source, needs, adapter, isOn }: Offered): SourceStatement {
  const reason = adapter === undefined ? `needs ${needs.join(' and ')}` : 'not among SERVICE_SOURCES';
  return {
    name,
    source,
    title: adapter?.title ?? name,
    state: isOn ? 'on' : 'off',
    reason: isOn ? undefined : reason,
    dates: adapter?.dates,
    terms: adapter?.terms,
  };
}

function statementOfBoard({ name, source }: SearchSource): SourceStatement {
  return {
    name,
    source,
    title: 'Reddit (found with the web source)',
    state: 'on',
    reason: undefined,
    dates: 'coarse',
    terms: 'Those of the web source.',
  };
}
