import { RunStrip } from '../kit/run-strip.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { ExportLinks } from './buttons.tsx';
import { CompletionSection } from './completion-section.tsx';
import { AheadSection, NewSection, RisingSection } from './posts-sections.tsx';
import { TopsSection } from './tops-section.tsx';
import type { Visit } from './visit.ts';
import { type New, ScopeStats, type Shown, SpikesSection, VolumeSection } from './volume-section.tsx';

/** What is told of a topic and of a search alike, the most urgent first. */
export function ScopeView({ visit, fresh, ...shown }: Shown & { visit: Visit; fresh: New }) {
  const { scope, range, read } = shown;
  return (
    <>
      <ScopeStats {...shown} fresh={fresh} />
      <VolumeSection {...shown} />
      <SpikesSection read={read} within={scope.search === undefined ? 'topic' : 'search'} />
      <CompletionSection comments={read.completions} range={range} />
      {read.linksOnly ? (
        <NewSection {...shown} visit={visit} />
      ) : (
        <div class="columns uneven">
          <NewSection {...shown} visit={visit} />
          <div>
            <RisingSection {...shown} />
            <AheadSection {...shown} />
          </div>
        </div>
      )}
      <TopsSection {...shown} />
    </>
  );
}

export function RunsSection({ scope, read }: Pick<Shown, 'scope' | 'read'>) {
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  return (
    <Section
      title="Runs"
      id="runs"
      live
      note="Each slot a cell, the oldest first: how it ended, and why."
      aside={<a href={`/runs?${new URLSearchParams(which).toString()}`}>All runs</a>}
    >
      {read.runs.length === 0 ? (
        <Empty words="Nothing ran yet." />
      ) : (
        <RunStrip runs={read.runs} label="The last runs" />
      )}
      <ExportLinks which={which} />
    </Section>
  );
}
