/** Counts over time in one line: a character each. Pure. */

/** `null`: not observed, which is not zero. `atLeast`: it may have been more. */
export type Point = { value: number | null; atLeast: boolean };

export type Signs = {
  /** Nothing, then a seventh of the most, and so on up to the most. */
  levels: string;
  gap: string;
  atLeast: string;
};

export const BLOCKS: Signs = { levels: '▁▂▃▄▅▆▇█', gap: '·', atLeast: '^' };
/** Where only ASCII can be shown. */
export const ASCII: Signs = { levels: '_.-:=+*#', gap: ' ', atLeast: '^' };

/**
 * The line, and a line of marks to stand below it: under counts that may have been more. Only nothing has the lowest
 * level, so that one post among thousands is still seen.
 * @param most what the highest level stands for, where several lines are compared; otherwise the largest value
 * @returns `marks` is empty where no count is a lower bound
 */
export function sparkline(
  points: readonly Point[],
  { levels, gap, atLeast }: Signs,
  most = points.reduce((top, { value }) => Math.max(top, value ?? 0), 0),
): { line: string; marks: string } {
  const steps = levels.length - 1;
  const line = points.map(({ value }) => {
    if (value === null) return gap;
    return (
      levels[value <= 0 ? 0 : Math.min(steps, Math.max(1, Math.ceil((value / most) * steps - TINY)))] ?? gap
    );
  });
  const marks = points.map((one) => (one.atLeast && one.value !== null ? atLeast : ' '));
  return { line: line.join(''), marks: marks.join('').trimEnd() };
}

/** What division adds to a whole number of levels. */
const TINY = 1e-9;

/** How many hours each character stands for, so that so many days fit into so many characters. */
export function hoursEach(days: number, room: number): number {
  const hours = days * 24;
  const fits = STEPS.find((each) => Math.ceil(hours / each) <= room);
  return fits ?? Math.ceil(hours / Math.max(1, room) / 24) * 24;
}

/** Lengths that a day, or a week, is a multiple of. */
const STEPS = [1, 2, 3, 4, 6, 8, 12, 24, 48, 168];
