/** Opens the configured sources, and probes those that need no key. */

import { SOURCE_BY_TOOL, SOURCES, TOOLS } from '../../model/enumerations.ts';
import { SECOND } from '../../lib/time.ts';
import type { MissingTool } from '../../model/tool-coverage.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SourceHealth, SourceStatement } from '../../protocol/service-status.ts';
import type { ServicePorts } from '../ports.ts';
import { createSandboxSources } from '../sandbox/sandbox-sources.ts';
import {
  createArchiveSources,
  createBoardFallback,
  createUnavailableSource,
  explainUnavailable,
} from './fallbacks.ts';
import { createLiveSource, type LiveSource } from './live-source.ts';
import { SourceDown } from './outage.ts';
import { openFeedParser } from './feeds/feed-parser.ts';
import { createOwnSourceReader, type OwnSourceReader } from './feeds/own-sources.ts';
import { readFeedRules } from './providers/feeds.ts';
import { createMemoryPageCache } from './pages/memory-cache.ts';
import { createPageOpener, type PageOpener } from './pages/page-opener.ts';
import { openAgent } from './resilience/http-request.ts';
import type { SearchSource } from './search-source.ts';
import { chooseSources, type OfferedSource, type SourceSettings } from './source-registry.ts';

export type OpenedSources = {
  /** Sources, including a placeholder for each tool without a source. */
  sources: readonly SearchSource[];
  /** Tools without a source. */
  missing: readonly MissingTool[];
  statements: readonly SourceStatement[];
  /** Reads the feeds and pages that requests name; undefined for the sandbox, which reads nothing. */
  own: OwnSourceReader | undefined;
  /** Opens found pages; undefined if they are simulated, or it is switched off. */
  pages: PageOpener | undefined;
  /** Probes keyless sources. Never throws. @param timeoutMs default: two seconds */
  probe: (timeoutMs?: number) => Promise<readonly ProbeResult[]>;
  health: () => Promise<readonly SourceHealth[]>;
  /** Starts whatever the first query would otherwise wait for. */
  prepare: () => Promise<void>;
  /** Aborts requests in progress. */
  close: () => Promise<void>;
};

/** @throws InvalidInput for an unknown name, or a source whose key is not set */
export function openSources(
  settings: SourceSettings,
  deps: { clock: Clock; log: Logger; ports: ServicePorts; version: string },
): OpenedSources {
  const parser = openFeedParser(deps.log);
  const openParser = () => ({ ...parser, close: async () => {} });
  const { offered, archive, sandbox } = chooseSources(settings, deps.version, { openParser });
  const agent = openAgent(Math.max(...offered.map(({ adapter }) => adapter?.pace.burst ?? 1)));
  const who = `strandline/${deps.version} (${settings.contact ?? 'no contact set'})`;
  const live = offered.flatMap(({ isOn, adapter }) =>
    isOn && adapter !== undefined ? [createLiveSource(adapter, { ...deps, who, agent })] : [],
  );
  const own = sandbox
    ? undefined
    : createOwnSourceReader({ ...readFeedRules(settings.read), ...deps, who, openParser });
  const board = findBoardFallback(live);
  const { pages: cache = createMemoryPageCache() } = deps.ports;
  const pages = sandbox || !settings.openPages ? undefined : createPageOpener({ ...deps, who, cache });
  const answering: SearchSource[] = sandbox
    ? [...createSandboxSources()]
    : [
        ...live,
        ...(board === undefined ? [] : [board]),
        ...(archive ? createArchiveSources(deps.ports.archive) : []),
      ];
  const unserved = SOURCES.filter((source) => !answering.some((candidate) => candidate.source === source));
  const statements = [
    ...offered.map(describeSource),
    ...(board === undefined ? [] : [describeBoardFallback(board)]),
  ];
  return {
    sources: [...answering, ...unserved.map((source) => createUnavailableSource(source, offered))],
    missing: TOOLS.filter((tool) => unserved.includes(SOURCE_BY_TOOL[tool])).map((tool) => {
      const { code, detail = null } = explainUnavailable(SOURCE_BY_TOOL[tool], offered);
      return { tool, reason: code, detail, observed_at: null };
    }),
    statements,
    own,
    pages,
    probe: (timeoutMs = PROBE_TIMEOUT_MS) => probeSources(statements, live, timeoutMs),
    health: () =>
      Promise.all(
        statements.map(async (statement) => ({
          ...statement,
          live: await live.find(({ name }) => name === statement.name)?.health(),
        })),
      ),
    async prepare() {
      await Promise.all(live.map(async ({ adapter }) => adapter.prepare?.(deps.log)));
    },
    async close() {
      await Promise.all([
        agent.destroy(),
        own?.close(),
        pages?.close(),
        ...offered.map(({ adapter }) => adapter?.close?.()),
      ]);
      await parser.close();
    },
  };
}

/** Without Reddit as a source, the first source of all the web finds its threads. */
function findBoardFallback(live: readonly LiveSource[]): SearchSource | undefined {
  const web = live.find(({ source, adapter }) => source === 'web' && adapter.covers === undefined);
  return web === undefined || live.some(({ name }) => name === 'reddit')
    ? undefined
    : createBoardFallback(web);
}

function describeSource({ name, source, needs, adapter, isOn }: OfferedSource): SourceStatement {
  const unset = needs.length === 0 ? 'turned off by its variables' : `needs ${needs.join(' and ')}`;
  const reason = adapter === undefined ? unset : 'not in SERVICE_SOURCES';
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

function describeBoardFallback({ name, source }: SearchSource): SourceStatement {
  return {
    name,
    source,
    title: 'Reddit (found with the web source)',
    state: 'on',
    reason: undefined,
    dates: 'coarse',
    terms: 'Same as the web source.',
  };
}

const PROBE_TIMEOUT_MS = 2 * SECOND;

export type ProbeResult = Pick<SourceStatement, 'name' | 'source' | 'title'> & {
  /** `unasked`: on but not probed, because it has a key or no probe. */
  outcome: 'reachable' | 'unreachable' | 'unasked' | 'off';
  /** For display: `reachable`, `not reachable (timed out)`, `needs BRAVE_API_KEY`. */
  words: string;
  /** Parts that need attention, such as a feed that is gone. */
  problems?: readonly string[];
};

/** One result per statement, in order, within the time limit. Never throws. */
async function probeSources(
  statements: readonly SourceStatement[],
  live: readonly LiveSource[],
  timeoutMs: number,
): Promise<ProbeResult[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  return Promise.all(
    statements.map(async (statement) => {
      const { name, source, title } = statement;
      return { name, source, title, ...(await probeSource(statement, live, signal)) };
    }),
  );
}

async function probeSource(
  { name, state, reason }: SourceStatement,
  live: readonly LiveSource[],
  signal: AbortSignal,
): Promise<Pick<ProbeResult, 'outcome' | 'words' | 'problems'>> {
  if (state === 'off') return { outcome: 'off', words: reason ?? 'off' };
  const source = live.find((candidate) => candidate.name === name);
  try {
    const isReachable = await source?.probe(signal);
    const { brings, problems: listProblems } = source?.adapter ?? {};
    const problems = listProblems?.() ?? [];
    const words = [isReachable === true ? 'reachable' : 'on', ...(brings === undefined ? [] : [brings])];
    return {
      outcome: isReachable === true ? 'reachable' : 'unasked',
      words: `${words.join(': ')}${problems.length === 0 ? '' : `; see strandline doctor (${problems.length})`}`,
      problems,
    };
  } catch (error) {
    const why = error instanceof SourceDown ? error.message : 'failed';
    return { outcome: 'unreachable', words: `not reachable (${why})` };
  }
}
