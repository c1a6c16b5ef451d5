/** What pages ask for, by the reads that they call: each with searches and topics that are drawn. */
import { DAY } from '../../src/lib/time.ts';
import type { Database } from '../../src/store/db/database.ts';
import { readGrowth, readSearchGrowth } from '../../src/store/queries/growth.ts';
import { readPostsAtAge, readTypicalAtAge } from '../../src/store/queries/counters-at-age.ts';
import { readRisingDomains, readRisingHashtags, readRisingPosts } from '../../src/store/queries/rising.ts';
import { averageVoices, readVoiceDays } from '../../src/store/queries/share-of-voice.ts';
import {
  readTopAuthors,
  readTopDomains,
  readTopHashtags,
  readTopLanguages,
} from '../../src/store/queries/tops.ts';

export type Drawn = { search: string; topic: string; now: Date };
export type Read = { name: string; rows: (drawn: Drawn) => Promise<unknown[]> };

const LIMIT = 20;

export function readsOf(db: Database): Read[] {
  const since = ({ now }: Drawn, days: number) => new Date(now.getTime() - days * DAY);
  const week = (drawn: Drawn) => ({ from: since(drawn, 7), until: drawn.now });
  return [
    {
      name: 'growth of a search, changed in a day',
      rows: (d) =>
        readGrowth(db, {
          search: d.search,
          since: since(d, 1),
          order: 'engagement',
          limit: LIMIT,
        }),
    },
    {
      name: 'growth of a topic, changed in a day',
      rows: (d) => readGrowth(db, { topic: d.topic, since: since(d, 1), order: 'likes', limit: LIMIT }),
    },
    {
      name: 'growth of all, changed in a day',
      rows: (d) => readGrowth(db, { since: since(d, 1), order: 'engagement', limit: LIMIT }),
    },
    {
      name: 'posts of a search at 24 hours of age',
      rows: ({ search }) => readPostsAtAge(db, { search, hours: 24, limit: LIMIT }),
    },
    {
      name: 'posts of a topic at 24 hours of age, of a week',
      rows: (d) => readPostsAtAge(db, { topic: d.topic, hours: 24, since: since(d, 7), limit: LIMIT }),
    },
    {
      name: 'typical of a search',
      rows: ({ search }) => readTypicalAtAge(db, { search, limit: LIMIT }),
    },
    {
      name: 'rising posts of a search',
      rows: ({ search }) => readRisingPosts(db, { search, limit: LIMIT }),
    },
    {
      name: 'rising posts of a topic',
      rows: ({ topic }) => readRisingPosts(db, { topic, limit: LIMIT }),
    },
    {
      name: 'rising posts of all',
      rows: (d) => readRisingPosts(db, { since: since(d, 1), limit: LIMIT }),
    },
    {
      name: 'rising hashtags of a search',
      rows: ({ search }) => readRisingHashtags(db, { search, limit: LIMIT }),
    },
    {
      name: 'rising domains of a topic',
      rows: ({ topic }) => readRisingDomains(db, { topic, limit: LIMIT }),
    },
    {
      name: 'growth of a search by the hour, a week',
      rows: (d) => readSearchGrowth(db, { search: d.search, per: 'hour', ...week(d), limit: 200 }),
    },
    {
      name: 'growth of a topic by the day, a week',
      rows: (d) => readSearchGrowth(db, { topic: d.topic, per: 'day', ...week(d), limit: 200 }),
    },
    {
      name: 'share of voice, a week',
      rows: async (d) => averageVoices(await readVoiceDays(db, { ...week(d), limit: 500 })),
    },
    {
      name: 'share of voice by the day, a week',
      rows: (d) => readVoiceDays(db, { ...week(d), limit: 500 }),
    },
    {
      name: 'top authors of a topic, a week',
      rows: (d) => readTopAuthors(db, { topic: d.topic, ...week(d), limit: LIMIT }),
    },
    {
      name: 'top hashtags of a topic, a week',
      rows: (d) => readTopHashtags(db, { topic: d.topic, ...week(d), limit: LIMIT }),
    },
    {
      name: 'top domains of a search, a week',
      rows: (d) => readTopDomains(db, { search: d.search, ...week(d), limit: LIMIT }),
    },
    {
      name: 'languages of a topic, a week',
      rows: (d) => readTopLanguages(db, { topic: d.topic, ...week(d), limit: LIMIT }),
    },
  ];
}
