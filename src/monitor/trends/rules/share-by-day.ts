/** Topics beside each other, day by day: pure. */
import { DAY } from '../../../lib/time.ts';

/** A day of a topic, as in the view `share_of_voice`. */
type ShareOfVoiceDay = {
  topic: string;
  bucket_at: Date;
  posts: number;
  /** Posts that the day would have had if all of it had been observed; null if too little was observed. */
  normalised_posts: number | null;
  lower_bound: boolean;
};

type ShareOfVoiceSeries = {
  topic: string;
  /** One per day: normalised posts; null where too little was observed, which is not zero. */
  posts: (number | null)[];
  least: boolean[];
  /**
   * One per day: the share, 0 to 1, of the topic in the normalised posts of these topics together. Null on days on which a
   * topic was not observed, because its share would go to the others, and on days without posts.
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
