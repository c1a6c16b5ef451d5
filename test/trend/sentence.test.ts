import { expect, test } from 'vitest';
import { composeSpikeSentence, type SpikeFacts } from '../../src/monitor/trends/rules/spike-sentence.ts';

const told: SpikeFacts = {
  measure: 'posts',
  window_start: new Date('2026-11-21T13:00:00Z'),
  window_end: new Date('2026-11-21T14:00:00Z'),
  n: 142,
  lower_bound: false,
  coverage: 1,
  usual: 22.5,
  days: 14,
  weekday_usual: null,
  provisional: false,
  tz: 'Europe/Berlin',
  top_share: null,
  author_share: null,
  only_by: null,
};

test.each<[string, Partial<SpikeFacts>, string]>([
  [
    'in the zone of its search',
    {},
    '142 posts between 14:00 and 15:00 Europe/Berlin time, 6.3x the usual 22.5 around this time (last 14 days).',
  ],
  [
    'in UTC',
    { tz: 'UTC' },
    '142 posts between 13:00 and 14:00 UTC, 6.3x the usual 22.5 around this time (last 14 days).',
  ],
  [
    'a lower bound is marked',
    { n: 100, lower_bound: true, coverage: 0.2, usual: 20 },
    'At least 100 posts between 14:00 and 15:00 Europe/Berlin time, at least 5x the usual 20 around this time (last 14 days).',
  ],
  [
    'partial coverage is mentioned',
    { n: 60, coverage: 0.75, usual: 20 },
    '60 posts between 14:00 and 15:00 Europe/Berlin time (75 % of it observed), 4x the usual 20 around this time (last 14 days).',
  ],
  [
    'a rate that was measured over minutes says over how many',
    { n: 140, coverage: 0.1, usual: 222 },
    'About 1,400 posts an hour between 14:00 and 15:00 Europe/Berlin time, measured over 6 of 60 minutes, 6.3x the usual 222 around this time (last 14 days).',
  ],
  [
    'the loudest author is named by the share',
    { author_share: 0.34 },
    '142 posts between 14:00 and 15:00 Europe/Berlin time, 6.3x the usual 22.5 around this time (last 14 days); one author wrote 34 % of them.',
  ],
  [
    'times in a repeated hour show their offset',
    { window_start: new Date('2026-10-25T00:30:00Z'), window_end: new Date('2026-10-25T01:30:00Z') },
    '142 posts between 02:30 GMT+2 and 02:30 GMT+1, 6.3x the usual 22.5 around this time (last 14 days).',
  ],
  [
    'no ratio against zero',
    { n: 7, usual: 0, days: 3 },
    '7 posts between 14:00 and 15:00 Europe/Berlin time, usually none around this time (last 3 days).',
  ],
  [
    'no ratio against a tiny baseline',
    { n: 7, usual: 0.5 },
    '7 posts between 14:00 and 15:00 Europe/Berlin time, usually fewer than one around this time (last 14 days).',
  ],
  [
    'provisional',
    { days: 1, provisional: true, usual: 20 },
    '142 posts between 14:00 and 15:00 Europe/Berlin time, 7.1x the usual 20 around this time (last day, provisional).',
  ],
  [
    'a window of a day is named by its end',
    { window_start: new Date('2026-11-20T14:00:00Z'), n: 12, usual: 3 },
    '12 posts in the 24 hours to 21 November, 15:00 Europe/Berlin time, 4x the usual 3 (last 14 days).',
  ],
  [
    'growth shows the share of the post that gained most',
    { measure: 'engagement', n: 3_400, usual: 340, top_share: 0.62 },
    'Known posts gained 3,400 likes, reposts, replies and quotes between 14:00 and 15:00 Europe/Berlin time, 10x the usual 340 around this time (last 14 days); one post accounts for 62 %.',
  ],
  [
    'growth spread over time is rounded',
    { measure: 'engagement', n: 1_239.6, usual: 240, top_share: 0.3 },
    'Known posts gained 1,240 likes, reposts, replies and quotes between 14:00 and 15:00 Europe/Berlin time, 5.2x the usual 240 around this time (last 14 days); one post accounts for 30 %.',
  ],
  [
    'a weekday is named if four weeks were observed',
    { weekday_usual: 35.5 },
    '142 posts between 14:00 and 15:00 Europe/Berlin time, 6.3x the usual 22.5 around this time (last 14 days), 4x the usual 35.5 of a Saturday (last 4 weeks).',
  ],
  [
    'in the zone of the search',
    { weekday_usual: 35.5, tz: 'Pacific/Auckland', window_start: new Date('2026-11-21T13:00:00Z') },
    '142 posts between 02:00 and 03:00 Pacific/Auckland time, 6.3x the usual 22.5 around this time (last 14 days), 4x the usual 35.5 of a Sunday (last 4 weeks).',
  ],
  [
    'no ratio against a weekday with a tiny baseline',
    { weekday_usual: 0 },
    '142 posts between 14:00 and 15:00 Europe/Berlin time, 6.3x the usual 22.5 around this time (last 14 days).',
  ],
])('%s', (_, change, sentence) => {
  expect(composeSpikeSentence({ ...told, ...change })).toBe(sentence);
});

test('times use the zone of the reader; the weekday stays that of the search', () => {
  const spike = { ...told, weekday_usual: 35.5, window_start: new Date('2026-11-21T13:00:00Z') };
  expect(composeSpikeSentence(spike, 'Pacific/Auckland')).toBe(
    '142 posts between 02:00 and 03:00 Pacific/Auckland time, 6.3x the usual 22.5 around this time (last 14 days), 4x the usual 35.5 of a Saturday (last 4 weeks).',
  );
});
