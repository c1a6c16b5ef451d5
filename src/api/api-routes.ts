/**
 * All groups of API routes. To add one, create a file and add a line here.
 *
 * A group is a function `thingRoutes(app, routeContext)`. Each route declares its scope, its `operationId` (a verb in camel
 * case), a summary and tags. Requests use strict types (strict objects, each value with an example that
 * exists in the seeded data of test/web/api/world.ts), replies those of `reply-shapes.ts`, lists those of `pagination.ts`.
 * Failures are thrown (`Refused`, `InvalidInput`) and documented by `openapi/components.ts`.
 */
import { AUDIT_OPERATIONS } from '../monitor/access/audit-operations.ts';
import { SERVICE_KEY_OPERATIONS, TOKEN_OPERATIONS } from '../monitor/access/token-operations.ts';
import { DISMISSAL_OPERATIONS } from '../monitor/alerts/dismissal-operations.ts';
import { DIGEST_OPERATIONS } from '../monitor/digests/digest-operations.ts';
import { CHANNEL_OPERATIONS } from '../monitor/alerts/channel-operations.ts';
import { DELIVERY_OPERATIONS } from '../monitor/alerts/delivery-operations.ts';
import { MUTE_OPERATIONS } from '../monitor/alerts/mute-operations.ts';
import { RULE_OPERATIONS } from '../monitor/alerts/rule-operations.ts';
import { PROBLEM_OPERATIONS } from '../monitor/alerts/problem-operations.ts';
import { NAME_OPERATIONS } from '../monitor/names/name-operations.ts';
import { GOAL_OPERATIONS } from '../monitor/goals/goal-operations.ts';
import { NOTE_OPERATIONS } from '../monitor/notes/note-operations.ts';
import { SOURCE_OPERATIONS } from '../monitor/sources/source-operations.ts';
import { WATCH_FILE_OPERATIONS } from '../monitor/watch-file/watch-file-operations.ts';
import type { App, RouteContext, Routes } from '../monitor/http/route-types.ts';
import { TOPIC_OPERATIONS } from '../monitor/topics/topic-operations.ts';
import { PURGE_OPERATIONS } from '../monitor/topics/purge-operations.ts';
import { SEARCH_OPERATIONS } from '../monitor/topics/search-operations.ts';
import { RUN_OPERATIONS } from '../monitor/runs/run-operations.ts';
import { STATE_OPERATIONS } from '../monitor/topics/state-operations.ts';
import { AUTHOR_OPERATIONS } from '../monitor/items/author-operations.ts';
import { COMPLETION_OPERATIONS } from '../monitor/items/completion-operations.ts';
import { DISCOVERY_OPERATIONS } from '../monitor/items/discovery-operations.ts';
import { EVIDENCE_OPERATIONS } from '../monitor/items/evidence-operations.ts';
import { FIRST_VIEW_OPERATIONS } from '../monitor/items/first-view-operation.ts';
import { ERASE_OPERATIONS } from '../monitor/erase/erase-operations.ts';
import { FIND_OPERATIONS } from '../monitor/items/find-operations.ts';
import { STATUS_OPERATIONS } from '../monitor/status/status-operations.ts';
import { GROWTH_OPERATIONS } from '../monitor/trends/growth-operations.ts';
import { RANKING_OPERATIONS } from '../monitor/trends/ranking-operations.ts';
import { REBUILD_OPERATIONS } from '../monitor/derive/rebuild-operations.ts';
import { EMERGING_OPERATIONS } from '../monitor/trends/emerging-operations.ts';
import { VOLUME_OPERATIONS } from '../monitor/trends/volume-operations.ts';
import { eventRoutes } from './event-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { feedDocumentRoutes } from './feed-document-routes.ts';
import { SHARE_OPERATIONS } from '../monitor/access/share-operations.ts';
import { VIEW_OPERATIONS } from '../monitor/access/view-operations.ts';
import { FEED_OPERATIONS } from '../monitor/feeds/feed-operations.ts';
import { routesOf } from './operation-routes.ts';
import { LINK_OPERATIONS } from '../monitor/items/link-operations.ts';
import { documentRoutes } from './openapi/document.ts';
import { POST_OPERATIONS } from '../monitor/items/post-operations.ts';
import { STORY_OPERATIONS } from '../monitor/items/story-operations.ts';
import { runAnswerRoute } from './run-answer-route.ts';
import { sqlRoutes } from './sql-routes.ts';

const ROUTE_GROUPS: readonly Routes[] = [
  documentRoutes,
  routesOf(TOPIC_OPERATIONS),
  routesOf(SOURCE_OPERATIONS),
  routesOf(NAME_OPERATIONS),
  routesOf(NOTE_OPERATIONS),
  routesOf(GOAL_OPERATIONS),
  routesOf(SEARCH_OPERATIONS),
  routesOf(STATE_OPERATIONS),
  routesOf(WATCH_FILE_OPERATIONS),
  routesOf(PURGE_OPERATIONS),
  routesOf(RUN_OPERATIONS),
  runAnswerRoute,
  routesOf(STATUS_OPERATIONS),
  routesOf(FIND_OPERATIONS),
  sqlRoutes,
  routesOf(POST_OPERATIONS),
  routesOf(AUTHOR_OPERATIONS),
  routesOf(ERASE_OPERATIONS),
  routesOf(LINK_OPERATIONS),
  routesOf(STORY_OPERATIONS),
  routesOf(COMPLETION_OPERATIONS),
  routesOf(DISCOVERY_OPERATIONS),
  routesOf(FIRST_VIEW_OPERATIONS),
  routesOf(EVIDENCE_OPERATIONS),
  eventRoutes,
  routesOf(VOLUME_OPERATIONS),
  routesOf(EMERGING_OPERATIONS),
  routesOf(REBUILD_OPERATIONS),
  routesOf(GROWTH_OPERATIONS),
  routesOf(RANKING_OPERATIONS),
  exportRoutes,
  routesOf(RULE_OPERATIONS),
  routesOf(MUTE_OPERATIONS),
  routesOf(CHANNEL_OPERATIONS),
  routesOf(FEED_OPERATIONS),
  feedDocumentRoutes,
  routesOf(DELIVERY_OPERATIONS),
  routesOf(PROBLEM_OPERATIONS),
  routesOf(VIEW_OPERATIONS),
  routesOf(SHARE_OPERATIONS),
  routesOf(TOKEN_OPERATIONS),
  routesOf(SERVICE_KEY_OPERATIONS),
  routesOf(DIGEST_OPERATIONS),
  routesOf(DISMISSAL_OPERATIONS),
  routesOf(AUDIT_OPERATIONS),
];

export function apiRoutes(app: App, routeContext: RouteContext): void {
  for (const add of ROUTE_GROUPS) void add(app, routeContext);
}
