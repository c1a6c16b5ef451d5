/**
 * How a post's counters grow: count(t) = floor(final x F(t - t0)) with F a cumulative distribution. So
 * counters are whole, never fall, and are the same whoever asks when.
 *
 * Impressions follow a log-normal with a median of 80 minutes and sigma 1.75: half of the views come in
 * 80 minutes, 95 % within a day (Pfeffer, Matter, Sargsyan: "The Half-Life of a Tweet", ICWSM 2023).
 * That likes and reposts are faster is known, how much faster is our choice.
 */
import { MINUTE } from '../../engine/clock.ts';

export type Pace = { medianMs: number; sigma: number };

export const VIEW_PACE: Pace = { medianMs: 80 * MINUTE, sigma: 1.75 };
export const ENGAGEMENT_PACE: Pace = { medianMs: 35 * MINUTE, sigma: 1.6 };

/** The counter's value at an age; `haste` stretches time for this one post (1 is usual, 2 twice as fast). */
export function countAt(final: number, pace: Pace, ageMs: number, haste: number): number {
  if (ageMs <= 0) return 0;
  return Math.floor(final * normalCdf(Math.log((ageMs * haste) / pace.medianMs) / pace.sigma));
}

/** The standard normal distribution function; Abramowitz and Stegun 7.1.26, error below 1.5e-7, monotone. */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) *
    Math.exp(-x * x);
  return z < 0 ? tail / 2 : 1 - tail / 2;
}
