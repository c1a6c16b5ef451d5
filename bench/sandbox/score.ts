/**
 * Alerts against planted bursts. A burst is found by the first alert within an hour before its onset and six
 * hours after it, or one hour after its peak where that is later; more alerts while it lasts are repeats.
 * Every other alert is a false alarm. Pure.
 */
import { DAY, HOUR } from '../../src/domain/time.ts';
import type { PlantedBurst } from '../../src/service/sandbox/planted-events.ts';

/** An average month, in ms. */
export const MONTH = 30.4375 * DAY;
const BEFORE_MS = HOUR;
const AFTER_MS = 6 * HOUR;
const AFTER_PEAK_MS = HOUR;

/** What the monitor reported of a search, and what was there to be found, in a span. Times in ms since 1970. */
export type Watched = { spanMs: number; alerts: readonly number[]; bursts: readonly PlantedBurst[] };

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
    const found = one.bursts.flatMap((burst) => firstWithin(one.alerts, burst) ?? []);
    delays.push(...found);
    bursts += one.bursts.length;
    alerts += one.alerts.length;
    falseAlarms += one.alerts.filter((at) => !one.bursts.some((burst) => isAbout(at, burst))).length;
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
