/**
 * Every group of routes of the API: a new one is one file and one line here.
 *
 * A group is `thingRoutes(app, home)`. Each of its routes says its scope, its `operationId` (a verb in camel case),
 * a summary and tags; what it takes is made of `given.ts` (strict objects, each value with an example that the
 * seeded world of test/web/api/world.ts knows), what it answers of `shapes.ts`, a list by `listing.ts` and a cursor
 * by `cursor.ts`. Failures are thrown (`Refused`, `InvalidInput`) and documented by `failures.ts`.
 */
import type { App, WebHome } from '../routes.ts';
import { auditRoutes } from './audit.ts';
import { authorRoutes } from './authors.ts';
import { channelRoutes } from './channels.ts';
import { completionRoutes } from './completions.ts';
import { deliveryRoutes } from './deliveries.ts';
import { discoveryRoutes } from './discoveries.ts';
import { eventRoutes } from './events.ts';
import { exportRoutes } from './exports.ts';
import { findRoutes } from './find.ts';
import { linkRoutes } from './links.ts';
import { documentRoutes } from './openapi.ts';
import { postRoutes } from './posts.ts';
import { ruleRoutes } from './rules.ts';
import { runRoutes } from './runs.ts';
import { searchPlanRoutes } from './search-plans.ts';
import { searchRoutes } from './searches.ts';
import { sqlRoutes } from './sql.ts';
import { statusRoutes } from './status.ts';
import { tokenRoutes } from './tokens.ts';
import { topicRoutes } from './topics.ts';
import { trendRoutes } from './trends.ts';

const GROUPS: readonly ((app: App, home: WebHome) => void)[] = [
  documentRoutes,
  topicRoutes,
  searchRoutes,
  searchPlanRoutes,
  runRoutes,
  statusRoutes,
  findRoutes,
  sqlRoutes,
  postRoutes,
  authorRoutes,
  linkRoutes,
  completionRoutes,
  discoveryRoutes,
  eventRoutes,
  trendRoutes,
  exportRoutes,
  ruleRoutes,
  channelRoutes,
  deliveryRoutes,
  tokenRoutes,
  auditRoutes,
];

export function apiRoutes(app: App, home: WebHome): void {
  for (const add of GROUPS) add(app, home);
}
