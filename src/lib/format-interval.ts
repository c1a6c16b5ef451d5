/** An interval as it is typed: `15m`, `90s`, `7d`, `0`. */
export function formatInterval(seconds: number): string {
  if (seconds === 0) return '0';
  const [length, unit] = INTERVAL_UNITS.find(([unitSeconds]) => seconds % unitSeconds === 0) ?? [1, 's'];
  return `${seconds / length}${unit}`;
}

const INTERVAL_UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;
