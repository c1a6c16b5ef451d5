/** What is printed: a table of figures, and the ratios against the targets. */
import { median, middle } from './measure.ts';
import { CASES, type Case, type Result } from './rounds.ts';

/** From the first measurements of the design: what the save is held to, as speed against another way. */
export const TARGETS = { naive: 10, drizzle: 3.5, copy: 0.25 } as const;

export function figuresTable(results: readonly Result[]): string {
  const lines = [
    [
      'at a time',
      'case',
      'way',
      'posts/s',
      'to naive',
      'to COPY',
      'CPU us/post',
      'WAL B/post',
      'loop blocked ms',
    ],
  ];
  for (const concurrency of new Set(results.map((one) => one.concurrency))) {
    for (const name of CASES) {
      for (const way of new Set(results.map((one) => one.way))) {
        const figures = middle(
          results
            .filter((one) => one.way === way && one.case === name && one.concurrency === concurrency)
            .map((one) => one.figures),
        );
        lines.push([
          String(concurrency),
          name,
          way,
          figures.postsPerSecond.toFixed(0),
          ratio(results, way, 'naive', name, concurrency).toFixed(2),
          ratio(results, way, 'copy', name, concurrency).toFixed(3),
          figures.cpuMicrosPerPost.toFixed(1),
          figures.walBytesPerPost.toFixed(0),
          figures.blockMs.toFixed(1),
        ]);
      }
    }
  }
  return aligned(lines);
}

export function targetsTable(results: readonly Result[]): string {
  const lines = [['at a time', 'case', 'against', 'measured', 'target', '']];
  for (const concurrency of new Set(results.map((one) => one.concurrency))) {
    for (const name of CASES) {
      for (const [against, target] of Object.entries(TARGETS)) {
        const measured = ratio(results, 'ours', against, name, concurrency);
        lines.push([
          String(concurrency),
          name,
          against,
          measured.toFixed(2),
          String(target),
          measured >= target ? '✓' : '✗',
        ]);
      }
    }
  }
  return aligned(lines);
}

/** How many times as fast one way is as another: the middle of the rounds' ratios. */
export function ratio(
  results: readonly Result[],
  way: string,
  against: string,
  name: Case,
  concurrency: number,
): number {
  const speeds = (of: string) =>
    new Map(
      results
        .filter((one) => one.way === of && one.case === name && one.concurrency === concurrency)
        .map((one) => [one.round, one.figures.postsPerSecond]),
    );
  const others = speeds(against);
  return median([...speeds(way)].map(([round, speed]) => speed / (others.get(round) ?? Number.NaN)));
}

export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0))) ?? [];
  return lines.map((line) => line.map((text, i) => text.padStart(widths[i] ?? 0)).join('  ')).join('\n');
}
