/** Every view of the contract that the program reads, by the name of its declaration. */
import * as audit from './audit.ts';
import * as completions from './completions.ts';
import * as contract from './contract.ts';
import * as discoveries from './discoveries.ts';
import * as growth from './growth.ts';
import * as links from './links.ts';
import * as posts from './posts.ts';
import * as runs from './runs.ts';
import * as tell from './tell.ts';
import * as topics from './topics.ts';
import * as tops from './tops.ts';
import * as volume from './volume.ts';

export const declared = {
  ...audit,
  ...completions,
  ...contract,
  ...discoveries,
  ...growth,
  ...links,
  ...posts,
  ...runs,
  ...tell,
  ...topics,
  ...tops,
  ...volume,
};
