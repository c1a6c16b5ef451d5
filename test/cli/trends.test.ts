import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { json, wirePost } from '../stub-service.ts';
import { START } from '../world.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
});
afterAll(() => stand.close());

const add = (slug: string, ...more: string[]) => [
  'search',
  'add',
  slug,
  '--operation',
  'microblog',
  '--prompt',
  'harbour ferry',
  '--every',
  '15m',
  ...more,
];

type Saved = { sensitivity: string; version: number; request_version: number; labels: string[] };

describe('the sensitivity of a search', () => {
  it('is normal by default, and is shown', async () => {
    await stand.run(add('usual', '--topic', 'ferry'));
    await stand.run(add('keen', '--topic', 'ferry', '--sensitivity', 'HIGH'));
    expect(await stand.json<Saved>('search', 'show', 'usual')).toMatchObject({ sensitivity: 'normal' });
    expect((await stand.run(['search', 'show', 'keen'])).stdout).toMatch(/^sensitivity +high$/m);
  });

  it('can be changed on its own, without a new baseline', async () => {
    const edited = await stand.json<Saved>('search', 'edit', 'keen', '--sensitivity', 'off');
    expect(edited).toMatchObject({ sensitivity: 'off', request_version: 1 });
    const { stderr } = await stand.run(['search', 'edit', 'keen', '--label', 'a']);
    expect(stderr).toBe('keen: labels: none → a\n');
    expect(await stand.json<Saved>('search', 'show', 'keen')).toMatchObject({
      sensitivity: 'off',
      labels: ['a'],
    });
    expect((await stand.run(['search', 'edit', 'keen', '--sensitivity', 'off'])).stderr).toBe(
      'Nothing changed.\n',
    );
  });

  it('must be one of four values', async () => {
    const { code, stderr } = await stand.run(add('shy', '--sensitivity', 'shy'));
    expect([code, stderr]).toEqual([
      2,
      'error: sensitivity (--sensitivity): got "shy"; one of low, normal, high, off\n',
    ]);
  });
});

const NOW = new Date(START);

/**
 * Gives a search a history, hour by hour up to now: `4` posts, `4+` a lower bound, `-` unobserved. Times use the
 * clock of the stand, which is fixed at noon.
 */
async function lived(slug: string, written: string): Promise<void> {
  const { pool } = stand.world.db;
  const { rows } = await pool.query<{ id: bigint }>('SELECT id FROM strandline.searches WHERE slug = $1', [
    slug,
  ]);
  await pool.query('DELETE FROM strandline.volume WHERE search_id = $1', [rows[0]?.id]);
  const hours = written.split(' ');
  await pool.query('UPDATE strandline.searches SET created_at = $2 WHERE id = $1', [
    rows[0]?.id,
    new Date(NOW.getTime() - hours.length * HOUR),
  ]);
  for (const [i, hour] of hours.entries()) {
    if (hour === '-') continue;
    const cut = hour.endsWith('+');
    await pool.query(
      `INSERT INTO strandline.volume (search_id, bucket_at, posts, exposed_posts, exposure_ms, cut)
       SELECT $1, $2::timestamptz + n * interval '15 minutes', CASE WHEN n = 0 THEN $3::int ELSE 0 END,
         CASE WHEN n = 0 AND NOT $4 THEN $3::int ELSE 0 END, CASE WHEN $4 THEN 0 ELSE 900000 END, $4
       FROM generate_series(0, 3) n`,
      [rows[0]?.id, new Date(NOW.getTime() - (hours.length - i) * HOUR), Number.parseInt(hour, 10), cut],
    );
  }
}

const each = (hours: number, what: string) => Array<string>(hours).fill(what).join(' ');
/** A spike as the worker would record it. */
async function told(slug: string, end: Date): Promise<void> {
  await stand.world.db.pool.query(
    `INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual,
       days, windows, score, threshold, sensitivity, provisional, tz, sentence, at)
     SELECT id, 1, 'posts', $2::timestamptz - interval '1 hour', $2, 142, false, 1, 22, 9, 22.5, 14, 1300, 13, 4.5, 'normal', false, 'UTC', $3, $2
     FROM strandline.searches WHERE slug = $1`,
    [slug, end, `142 posts, told of ${end.toISOString().slice(0, 10)}.`],
  );
}

describe('trends', () => {
  it('draws what was observed, leaves gaps, and marks lower bounds', async () => {
    await lived('usual', `- - ${each(16, '2')} - - 0 4 7+ 3`);
    const { code, stdout } = await stand.run(['trends', '--search', 'usual', '--days', '1']);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        '1 day to 2026-11-21 12:00Z, one hour per character; · not observed; ^ at least',
        '',
        `usual  ··${'▃'.repeat(16)}··▁▅█▄`,
        `       ${' '.repeat(22)}^`,
        '       at least 46 posts (79 % of the time observed)',
        '       Provisional baseline: only large spikes are reported until 72 hours were observed at least in part (19 so far).',
        '',
      ],
    ]);
  });

  it('shows the time of the data while runs wait to be derived', async () => {
    const { pool } = stand.world.db;
    const wait = (received: Date) =>
      pool.query(
        `INSERT INTO strandline.pending_derivations (search_id, run_id, at, posts, new_posts, new_links, changed_posts, touched_posts,
           touched_links, checked, notify)
         SELECT id, 1, $1, 0, '{}', '{}', '{}', '{}', '{}', true, true FROM strandline.searches WHERE slug = 'usual'`,
        [received],
      );
    const hasWords = /^Figures as of .*11:59.*; later runs are still being counted\.$/m;
    // What came in the last seconds is no news.
    await wait(new Date(NOW.getTime() - 2_000));
    expect((await stand.run(['trends', '--search', 'usual'])).stderr).not.toContain('as of');
    const received = new Date(NOW.getTime() - 60_000);
    await wait(received);
    const asked = [['trends'], ['trends', '--topic', 'ferry'], ['posts', 'growth', '--search', 'usual']];
    for (const one of asked) expect((await stand.run(one)).stderr).toMatch(hasWords);
    expect((await stand.run(['trends', '--search', 'keen'])).stderr).not.toContain('as of');
    expect(await stand.json<object[]>('trends', '--topic', 'ferry')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ search: 'usual', as_of: received.toISOString() }),
        expect.objectContaining({ search: 'keen', as_of: null }),
      ]),
    );
    await pool.query('DELETE FROM strandline.pending_derivations');
  });

  it('has the searches of a removed topic that is named, whose history stays', async () => {
    await stand.run(add('steamers', '--topic', 'steam'));
    await lived('steamers', each(20, '2'));
    await stand.run(['topic', 'remove', 'steam']);
    const named = await stand.json<object[]>('trends', '--topic', 'steam');
    expect(named).toEqual([expect.objectContaining({ search: 'steamers', posts: 40 })]);
    expect(await stand.json<{ search: string }[]>('trends')).not.toContainEqual(
      expect.objectContaining({ search: 'steamers' }),
    );
  });

  it('prints the values of the views as JSON, without drawing details', async () => {
    const [trend] = await stand.json<Record<string, unknown>[]>('trends', '--search', 'usual', '--days', '1');
    expect(trend).toMatchObject({
      search: 'usual',
      topic: 'ferry',
      from: '2026-11-20T12:00:00.000Z',
      until: '2026-11-21T12:00:00.000Z',
      posts: 46,
      coverage: 19 / 24,
      lower_bound: true,
      usual_per_day: null,
      ratio: null,
      learning: false,
      provisional: true,
      bucket_seconds: 3_600,
      spikes: [],
    });
    const buckets = trend?.['buckets'] as unknown[]; // as the line above has it
    expect(buckets).toHaveLength(24);
    expect(buckets.slice(0, 3)).toEqual([
      { bucket_at: '2026-11-20T12:00:00.000Z', posts: 0, coverage: 0, lower_bound: false, observed_posts: 0 },
      { bucket_at: '2026-11-20T13:00:00.000Z', posts: 0, coverage: 0, lower_bound: false, observed_posts: 0 },
      { bucket_at: '2026-11-20T14:00:00.000Z', posts: 2, coverage: 1, lower_bound: false, observed_posts: 2 },
    ]);
    expect(buckets.at(-2)).toMatchObject({ posts: 7, coverage: 0, lower_bound: true });
  });

  it.each([
    // The hours before, the hours of the two days, and the expected comparison.
    [
      'twice as many',
      `${each(48, '2')} ${each(48, '4')}`,
      '192 posts; typically 72/day; 2x the previous 2 days',
    ],
    [
      'a gap before: too little history',
      `${each(20, '2')} ${each(28, '-')} ${each(48, '4')}`,
      '192 posts; typically 96/day; not enough data from the previous 2 days to compare',
    ],
    [
      'a gap is scaled up, not counted as zero',
      `${each(48, '2')} ${each(4, '-')} ${each(44, '2')}`,
      '88 posts (92 % of the time observed); typically 48/day; unchanged from the previous 2 days',
    ],
    [
      'full responses are excluded on both sides if they are few',
      `${each(48, '2')} ${each(4, '9+')} ${each(44, '2')}`,
      'at least 124 posts (92 % of the time observed); typically 48/day; unchanged from the previous 2 days',
    ],
    ['nothing before the search started', each(48, '4'), '192 posts'],
  ])('%s', async (_name, written, words) => {
    await lived('usual', written);
    const { stdout } = await stand.run(['trends', '--search', 'usual', '--days', '2']);
    expect(stdout.split('\n').map((line) => line.trim())).toContain(words);
  });

  it.each([
    [
      each(5, '3'),
      'No baseline yet: spike detection starts after 12 hours that were observed at least in part (5 so far).',
    ],
    [
      each(71, '3'),
      'Provisional baseline: only large spikes are reported until 72 hours were observed at least in part (71 so far).',
    ],
    [each(72, '3'), null],
  ])('says that a baseline is missing or provisional', async (written, words) => {
    await lived('usual', written);
    const { stdout } = await stand.run(['trends', '--search', 'usual']);
    expect(/^ *(?:No|Provisional) baseline.*$/m.exec(stdout)?.[0].trim() ?? null).toBe(words);
  });

  it('counts hours as detection does: a run every six hours observes six, also if its response is truncated', async () => {
    await lived('usual', each(5, '- - - - - 3'));
    const setInterval = (seconds: number) =>
      stand.world.db.pool.query(
        `UPDATE strandline.coverage SET every_seconds = $1
         WHERE search_id = (SELECT id FROM strandline.searches WHERE slug = 'usual')`,
        [seconds],
      );
    await setInterval(21_600);
    const [trend] = await stand.json<object[]>('trends', '--search', 'usual');
    expect(trend).toMatchObject({ observed_hours: 30, learning: false, provisional: true });
    await setInterval(900);
  });

  it('says what it does not detect, and when it has nothing to count', async () => {
    await lived('keen', '-');
    const { stdout } = await stand.run(['trends', '--topic', 'ferry']);
    expect(stdout).toContain('Spike detection is off (sensitivity off).');
    expect(stdout).toMatch(/^keen +not observed yet$/m);
  });

  it('lists spikes of the shown days in order of time, with their day', async () => {
    for (const end of ['2026-11-20T15:00:00Z', '2026-11-18T09:00:00Z', '2026-11-10T09:00:00Z'])
      await told('usual', new Date(end));
    const { stdout } = await stand.run(['trends', '--search', 'usual']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /142 posts on 18 Nov 2026 between 08:00 and 09:00 UTC, 6\.3x .* 142 posts on 20 Nov 2026 between 14:00 and 15:00 UTC,/,
    );
    const inTokyo = await stand.run(['trends', '--search', 'usual'], { isTTY: true, zone: 'Asia/Tokyo' });
    expect(inTokyo.stdout.replaceAll(/\s+/g, ' ')).toContain('between 17:00 and 18:00 Asia/Tokyo time');
    const [trend] = await stand.json<{ spikes: { id: string; score: number }[] }[]>(
      'trends',
      '--search',
      'usual',
    );
    expect(trend?.spikes.map(({ id: spike, score }) => [typeof spike, score])).toEqual([
      ['string', 13],
      ['string', 13],
    ]);
  });

  it.each([1, 12, 40, 80, 200])('fits into %i columns', async (width) => {
    const { code, stdout } = await stand.run(['trends', '--topic', 'ferry'], {
      isTTY: true,
      env: { COLUMNS: String(width), NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.split('\n').filter((line) => line.length > width)).toEqual([]);
  });

  it('uses ASCII with LANG=C', async () => {
    await lived('usual', `- 4 0 7+`);
    const { stdout } = await stand.run(['trends', '--search', 'usual', '--days', '1'], {
      env: { LANG: 'C' },
    });
    expect(stdout).toMatch(/^[\n -~]+$/);
    expect(stdout).toContain('space not observed');
    expect(stdout).toMatch(/^usual +=_#$/m);
  });

  it.each([
    [
      ['--topic', 'fery'],
      1,
      'error: there is no topic "fery" (did you mean ferry?); see: strandline topic list\n',
    ],
    [['--search', 'nothing'], 1, 'error: there is no search "nothing"; see: strandline search list\n'],
    [['--days', '0'], 2, 'error: days (--days): got "0"; a whole number from 1 to 366\n'],
    [
      ['--compare', 'ferry'],
      2,
      'error: compare (--compare): got "ferry"; two or more topics, or one with --topic\n',
    ],
    [['--compare', 'ferry,boat'], 1, 'error: there is no topic "boat"; see: strandline topic list\n'],
  ])('refuses %j', async (argv, code, words) => {
    expect(await stand.run(['trends', ...argv])).toEqual({ code, stdout: '', stderr: words });
  });
});

describe('trends --compare', () => {
  /** Days of a topic up to yesterday: `48` posts of a day, `48/2` of half of it, `9+` at least, `-` unobserved. */
  async function days(topic: string, written: string): Promise<void> {
    await stand.run(add(`${topic}-posts`, '--topic', topic));
    const { pool } = stand.world.db;
    const { rows } = await pool.query<{ id: bigint }>('SELECT id FROM strandline.searches WHERE slug = $1', [
      `${topic}-posts`,
    ]);
    await pool.query('DELETE FROM strandline.search_days WHERE search_id = $1', [rows[0]?.id]);
    const today = Math.floor(NOW.getTime() / DAY) * DAY;
    const all = written.split(' ');
    for (const [i, day] of all.entries()) {
      if (day === '-') continue;
      const posts = Number.parseInt(day, 10);
      await pool.query(
        `INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, exposed_posts, exposure_ms, cut)
         VALUES ($1, $2, $3, $3, 0, $3, $4, $5)`,
        [
          rows[0]?.id,
          new Date(today - (all.length - i) * DAY),
          posts,
          day.endsWith('/2') ? DAY / 2 : DAY,
          day.endsWith('+'),
        ],
      );
    }
  }

  it('compares topics on one scale and marks lower bounds', async () => {
    await days('trains', '60 60 60 60 60 60 60');
    await days('boats', '- - 10/2 20 20 20 20+');
    const { code, stdout } = await stand.run(['trends', '--topic', 'boats', '--compare', 'trains']);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        '7 days to 2026-11-21 00:00Z, one day per character; · not observed; one scale',
        '',
        'topic   share  per day  days',
        'trains   75 %       60  ███████',
        'boats    25 %     ≥ 20  ··▄▄▄▄▄  5 of 7 days observed; lower bound',
        'lower bound: at least one response was full, so there may be more posts',
        '',
      ],
    ]);
    const voices = await stand.json<Record<string, unknown>[]>('trends', '--compare', 'trains,boats');
    expect(voices).toMatchObject([
      { topic: 'trains', share: 0.75, normalised_per_day: 60, lower_bound: false },
      {
        topic: 'boats',
        share: 0.25,
        normalised_per_day: 20,
        posts: 90,
        normalised_days: 5,
        lower_bound: true,
      },
    ]);
    expect(voices[1]?.['buckets']).toHaveLength(5);
  });

  it.each([12, 40, 80])('fits into %i columns', async (width) => {
    const env = { COLUMNS: String(width), NO_COLOR: '1' };
    const { stdout } = await stand.run(['trends', '--compare', 'trains,boats'], { isTTY: true, env });
    expect(stdout.split('\n').filter((line) => line.length > width)).toEqual([]);
  });
});

it('a rebuild has removed searches, too, whose figures stay', async () => {
  await stand.run(add('tugs', '--topic', 'ferry'));
  await stand.run(['search', 'remove', 'tugs']);
  for (const named of [[], ['--topic', 'ferry']]) {
    const rebuilt = await stand.json<object[]>('trends', 'rebuild', ...named);
    expect(rebuilt).toContainEqual(expect.objectContaining({ search: 'tugs' }));
  }
});
