/** Topics beside each other, day by day: pure. */
import { DAY } from '../../../lib/time.ts';

/** A day of a topic, as in the view `share_of_voice`. */
type ShareOfVoiceDay = {
  topic: string;
  bucket_at: Date;
  posts: number;
  /** What it would have been had all of the day been observed; null where too little was. */
  normalised_posts: number | null;
  lower_bound: boolean;
};

type ShareOfVoiceSeries = {
  topic: string;
  /** One per day: normalised posts; null where too little was observed, which is not zero. */
  posts: (number | null)[];
  least: boolean[];
  /**
   * One per day: its part, 0 to 1, of the normalised posts of these topics together; null on days on which one of them
   * was not observed, for its part would fall to the others, and where none of them was spoken of.
   */
  share: (number | null)[];
};

/** @param from a whole UTC day; so many days from there on */
export function computeShareByDay(
  rows: readonly ShareOfVoiceDay[],
  { topics, from, days }: { topics: readonly string[]; from: Date; days: number },
): ShareOfVoiceSeries[] {
  const byTopic = new Map(topics.map((topic) => [topic, new Map<number, ShareOfVoiceDay>()]));
  for (const row of rows) byTopic.get(row.topic)?.set(row.bucket_at.getTime(), row);
  const series = [...byTopic].map(([topic, own]) => {
    const inDays = Array.from({ length: days }, (_, i) => own.get(from.getTime() + i * DAY));
    return {
      topic,
      posts: inDays.map((day) => day?.normalised_posts ?? (day?.lower_bound === true ? day.posts : null)),
      least: inDays.map((day) => day?.lower_bound ?? false),
    };
  });
  return series.map((topicPosts) => ({
    ...topicPosts,
    share: topicPosts.posts.map((value, i) => {
      const all = series.map(({ posts }) => posts[i] ?? null);
      const known = all.filter((each) => each !== null);
      const sum = known.reduce((sofar, each) => sofar + each, 0);
      return value === null || known.length < all.length || sum === 0 ? null : value / sum;
    }),
  }));
}
