/** Topics beside each other: share of voice by what was observed of each, and days on one scale. */
import { DAY } from '../../engine/clock.ts';
import type { Voice } from '../../monitor/volume/voices.ts';
import type { VoiceDayRow, VoiceRow } from '../../store/reads/share-of-voice.ts';
import type { Page } from './page.ts';
import { sparkline } from './sparkline.ts';
import { type Column, table } from './table.ts';
import { wrap } from './text.ts';
import { legendOf, signsOf } from './trend-page.ts';
import { count, counted } from './words.ts';

export function comparePage(voices: readonly Voice[], page: Page): string[] {
  const [first] = voices;
  if (first === undefined) return [];
  const { from, until } = first;
  const days = Math.round((until.getTime() - from.getTime()) / DAY);
  const most = Math.max(...voices.flatMap(({ buckets }) => buckets.map((one) => valueOf(one) ?? 0)));
  const drawn = new Map(voices.map((voice) => [voice, drawnOf(voice, days, most, page)]));
  const kinds = new Set(voices.map(({ service_kind: kind }) => kind));
  const columns: Column<Voice>[] = [
    { head: 'topic', cell: ({ topic }) => topic },
    { head: 'service', cell: ({ service_kind: kind }) => (kinds.size > 1 ? kind : '') },
    {
      head: 'share',
      cell: ({ share }) => (share === null ? page.unknown : `${percent(share)} %`),
      right: true,
    },
    { head: 'a day', cell: (one) => perDay(one, page), right: true },
    {
      head: 'days',
      cell: (one) => drawn.get(one)?.line ?? '',
      drop: 2,
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: '', cell: (one) => noteOf(one, days), elastic: 2, wraps: true, least: 16 },
  ];
  const legend = legendOf({ from, until, bucket_seconds: 86_400 }, [...drawn.values()], signsOf(page));
  return [
    ...wrap(`${legend}; one scale`, page.width).map((line) => page.colors.dim(line)),
    '',
    ...table(voices, columns, page),
  ];
}

function drawnOf({ from, buckets }: Voice, days: number, most: number, page: Page) {
  const byDay = new Map(buckets.map((one) => [one.bucket_at.getTime(), one]));
  const points = Array.from({ length: days }, (_, i) => {
    const day = byDay.get(from.getTime() + i * DAY);
    return { value: day === undefined ? null : valueOf(day), atLeast: false };
  });
  return sparkline(points, signsOf(page), most);
}

/** A count that is a lower bound is drawn as it is. */
function valueOf({ normalised_posts, lower_bound, posts }: VoiceDayRow): number | null {
  return normalised_posts ?? (lower_bound ? posts : null);
}

function perDay({ normalised_per_day: mean, lower_bound }: VoiceRow, page: Page): string {
  if (mean === null) return page.unknown;
  return `${lower_bound ? '>= ' : ''}${count(mean >= 10 ? Math.round(mean) : Math.round(mean * 10) / 10, page)}`;
}

/** Why the figures may be more: a gap, or answers that were full. */
function noteOf({ normalised_days, lower_bound }: VoiceRow, days: number): string {
  return [
    ...(normalised_days < days ? [`${normalised_days} of ${counted(days, 'day')} observed`] : []),
    ...(lower_bound ? ['a lower bound: answers were cut at their limit'] : []),
  ].join('; ');
}

function percent(share: number): string {
  return share > 0 && share < 0.1 ? (share * 100).toFixed(1) : String(Math.round(share * 100));
}
