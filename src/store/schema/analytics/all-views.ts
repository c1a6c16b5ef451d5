/** Every view of the contract that the program reads, by the name of its declaration. */
import * as audit from './audit-log-view.ts';
import * as completions from './result-views.ts';
import * as contract from './analytics-schema.ts';
import * as discoveries from './result-views.ts';
import * as growth from './growth-views.ts';
import * as links from './post-views.ts';
import * as posts from './post-views.ts';
import * as runs from './run-views.ts';
import * as tell from './alert-views.ts';
import * as topics from './topic-views.ts';
import * as tops from './trend-views.ts';
import * as volume from './trend-views.ts';

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
