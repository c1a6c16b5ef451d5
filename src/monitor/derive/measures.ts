import type { Id, Transaction } from '../../store/database.ts';
import type { SpikeMeasure } from '../../store/spikes.ts';
import { gainsBetween } from '../../store/volume/gains.ts';
import { volumeBetween } from '../../store/volume/history.ts';
import type { Spike } from '../trend/detect.ts';
import { growthSeries, isOfMany, topWithin } from '../trend/growth.ts';
import type { Series } from '../trend/series.ts';

/** A measure over a stretch of time. */
export type Measured = {
  series: Series;
  /** Whether there is more to a spike than the detector sees. */
  mayTell: (spike: Spike) => boolean;
  /** The post that makes up most of it, where one may. */
  topOf: (spike: Spike) => { post: Id; share: number } | null;
};

/** What is looked at for spikes. */
export type Measure = {
  name: SpikeMeasure;
  /** How much of it there was lately, to see at once that nothing happened. */
  recent: number;
  /** Times in ms since 1970, whole quarters of an hour. */
  between: (from: number, until: number) => Promise<Measured>;
};

/** Posts of a search by their own time. */
export function postsOf(tx: Transaction, searchId: Id, recent: number): Measure {
  return {
    name: 'posts',
    recent,
    between: async (from, until) => ({
      series: await volumeBetween(tx, searchId, from, until),
      mayTell: () => true,
      topOf: () => null,
    }),
  };
}

/** What the counters of a search's posts gained from one answer to the next. */
export function engagementOf(tx: Transaction, searchId: Id, recent: number): Measure {
  return {
    name: 'engagement',
    recent,
    between: async (from, until) => {
      const gains = await gainsBetween(tx, searchId, new Date(from), new Date(until));
      return {
        series: growthSeries(gains, from, until),
        mayTell: (spike) => isOfMany(gains, spike),
        topOf: (spike) => {
          const top = topWithin(gains, spike);
          return top && { post: top.post, share: Math.min(1, top.gained / spike.n) };
        },
      };
    },
  };
}
