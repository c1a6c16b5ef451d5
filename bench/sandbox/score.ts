/**
 * Alerts against planted bursts. A burst is found by the first alert within an hour before its onset and six
 * hours after it, or one hour after its peak where that is later; more alerts while it lasts are repeats.
 * Alerts where a report is neither right nor wrong do not count. Every other alert is a false alarm. Pure.
 */
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { PlantedBurst, PlantedOther } from '../../src/service/sandbox/planted-events.ts';

/** An average month, in ms. */
export const MONTH = 30.4375 * DAY;
const BEFORE_MS = HOUR;
const AFTER_MS = 6 * HOUR;
const AFTER_PEAK_MS = HOUR;

/** What the monitor reported of a search, and what was there to be found, in a span. Times in ms since 1970. */
export type Watched = {
  spanMs: number;
  alerts: readonly number[];
  bursts: readonly PlantedBurst[];
  /** Where an alert does not count, unless it finds a burst. */
  neutral: readonly { from: number; until: number }[];
};

/**
 * Ambiguous events, the first day of a new level, and the first weekly show that is seen: nobody can know that it comes each week.
 * Of others (floods by one author, campaigns, drifts, silent sources), no report is right.
 */
export function listNeutral(others: readonly PlantedOther[]): { from: number; until: number }[] {
  const firstShow = others.find(({ kind }) => kind === 'show');
  return others.flatMap((other) => {
    if (other.kind === 'level') return { from: other.from, until: other.from + DAY };
    if (other.kind !== 'ambiguous' && other !== firstShow) return [];
    return { from: other.from - BEFORE_MS, until: other.until + AFTER_MS };
  });
}

export type Score = {
  searches: number;
  bursts: number;
  found: number;
  alerts: number;
  /** Alerts during a burst that was found already, or after its window while it lasts. */
  repeats: number;
  falseAlarms: number;
  /** Of the alerts that are no repeats. NaN where there is none. */
  precision: number;
  recall: number;
  f1: number;
  /** From the onset to the first alert; negative where it came before. */
  medianDelayMinutes: number;
  falseAlarmsPerMonth: number;
};

export function scoreAlerts(watched: readonly Watched[]): Score {
  const delays: number[] = [];
  let bursts = 0;
  let alerts = 0;
  let falseAlarms = 0;
  let spanMs = 0;
  for (const one of watched) {
    const isNeutral = (at: number) =>
      one.neutral.some(({ from, until }) => at >= from && at <= until) &&
      !one.bursts.some((burst) => isAbout(at, burst));
    const counted = one.alerts.filter((at) => !isNeutral(at));
    const found = one.bursts.flatMap((burst) => firstWithin(counted, burst) ?? []);
    delays.push(...found);
    bursts += one.bursts.length;
    alerts += counted.length;
    falseAlarms += counted.filter((at) => !one.bursts.some((burst) => isAbout(at, burst))).length;
    spanMs += one.spanMs;
  }
  const found = delays.length;
  const precision = found / (found + falseAlarms);
  const recall = found / bursts;
  return {
    searches: watched.length,
    bursts,
    found,
    alerts,
    repeats: alerts - found - falseAlarms,
    falseAlarms,
    precision,
    recall,
    f1: found === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    medianDelayMinutes: median(delays) / 60_000,
    falseAlarmsPerMonth: falseAlarms / (spanMs / MONTH),
  };
}

/** The delay of the first alert that finds a burst; undefined where none does. */
function firstWithin(alerts: readonly number[], burst: PlantedBurst): number | undefined {
  const finding = alerts.filter((at) => at >= burst.onset - BEFORE_MS && at <= lastFinding(burst));
  return finding.length === 0 ? undefined : Math.min(...finding) - burst.onset;
}

function isAbout(at: number, burst: PlantedBurst): boolean {
  return at >= burst.onset - BEFORE_MS && at <= Math.max(lastFinding(burst), burst.end);
}

function lastFinding({ onset, peak }: PlantedBurst): number {
  return Math.max(onset + AFTER_MS, peak + AFTER_PEAK_MS);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
