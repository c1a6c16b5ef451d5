import { Icon } from './icon.tsx';
import { percent } from './scale.ts';
import { When } from './when.tsx';

/** Something that happened in the time of a chart. */
export type Mark = {
  kind: 'spike' | 'version';
  at: Date;
  /** Where it lasted. */
  until?: Date | undefined;
  /** A spike's sentence; what changed with a version of the query. */
  words: string;
  /** Written on the chart: `v2`. */
  short?: string;
  /** It is told elsewhere on the page. */
  quiet?: boolean;
};

const MOST_TOLD = 4;

export function MarkLines({ marks, from, until }: { marks: readonly Mark[]; from: number; until: number }) {
  const x = (at: Date) => percent(Math.min(Math.max(at.getTime(), from), until) - from, until - from);
  return (
    <>
      {marks.map((mark) => {
        const end = mark.until ?? mark.at;
        const middle = new Date((mark.at.getTime() + end.getTime()) / 2);
        if (mark.kind === 'version')
          return (
            <g class="version-mark">
              <line x1={x(mark.at)} x2={x(mark.at)} y1="0" y2="100%" />
              <text x={x(mark.at)} y="10" dx="4">
                {mark.short ?? ''}
              </text>
              <title>{mark.words}</title>
            </g>
          );
        return (
          <g class="spike-mark">
            <rect
              x={x(mark.at)}
              width={percent(
                Math.max(0, Math.min(end.getTime(), until) - Math.max(mark.at.getTime(), from)),
                until - from,
              )}
              y="0"
              height="100%"
            />
            <circle cx={x(middle)} cy="4" r="4" />
            <title>{mark.words}</title>
          </g>
        );
      })}
    </>
  );
}

/** The same in words, the last first; the script finds them here. */
export function Marks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  const told = marks.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const silent = new Set([
    ...told.filter(({ quiet }) => quiet === true),
    ...told.filter(({ quiet }) => quiet !== true).slice(MOST_TOLD),
  ]);
  const more = told.filter(({ quiet }) => quiet !== true).length - MOST_TOLD;
  return (
    <ul class="marks">
      {told.map((mark) => (
        <li
          class={`${mark.kind}-told`}
          data-mark={mark.kind}
          data-at={mark.at.getTime() / 1_000}
          data-until={(mark.until ?? mark.at).getTime() / 1_000}
          data-short={mark.short}
          hidden={silent.has(mark)}
        >
          <Icon name={mark.kind === 'spike' ? 'spike' : 'edit'} /> <When at={mark.at} exact /> {mark.words}
        </li>
      ))}
      {more <= 0 ? null : <li>and {more} more</li>}
    </ul>
  );
}
