import { mayDo } from '../../../monitor/access/scopes.ts';
import type { SearchRow } from '../../../store/reads/searches.ts';
import { Act } from '../kit/form.tsx';
import { useFrame } from '../kit/frame.ts';
import { Icon } from '../kit/icon.tsx';

/** What may be done with a topic or a search, for those who may. */
export function Buttons({ place, searches }: { place: string; searches: readonly SearchRow[] }) {
  const { visitor } = useFrame();
  const kept = searches.filter(({ archived_at }) => archived_at === null);
  const active = kept.some(({ state }) => state === 'active' || state === 'capped');
  const resting = kept.some(({ state }) => state === 'paused' || state === 'broken');
  return (
    <>
      {active && mayDo(visitor, 'run') ? (
        <Act action={`${place}/run`} words="Run now" icon="run" kind="main" />
      ) : null}
      {active && mayDo(visitor, 'write') ? (
        <Act action={`${place}/pause`} words="Pause" icon="pause" />
      ) : null}
      {resting && mayDo(visitor, ['write', 'run']) ? (
        <Act action={`${place}/resume`} words="Resume" icon="play" />
      ) : null}
      {mayDo(visitor, 'write') ? (
        <a class="button" href={`${place}/edit`}>
          <Icon name="edit" /> Edit
        </a>
      ) : null}
    </>
  );
}

const KINDS = ['posts', 'links', 'completions', 'discoveries'] as const;

/** Everything that was found, to take along. */
export function ExportLinks({ which }: { which: { topic: string } | { search: string } }) {
  return (
    <p class="line-more">
      <Icon name="download" /> Export as CSV:
      {KINDS.map((kind) => (
        <a href={`/api/v1/exports/${kind}?${new URLSearchParams({ ...which, format: 'csv' }).toString()}`}>
          {kind}
        </a>
      ))}
    </p>
  );
}
