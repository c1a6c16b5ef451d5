/**
 * Every kind of resource, in the order in which they are created: each after the kinds that it needs. They are removed in
 * reverse.
 */
import { channelResource } from './channel-resource.ts';
import { nameResource } from './name-resource.ts';
import type { ResourceKind } from './resource.ts';
import { ruleResource } from './rule-resource.ts';
import { searchResource } from './search-resource.ts';
import { sourceResource } from './source-resource.ts';
import { topicResource } from './topic-resource.ts';

export const RESOURCE_KINDS: readonly ResourceKind[] = [
  channelResource,
  topicResource,
  sourceResource,
  nameResource,
  searchResource,
  ruleResource,
];
