/** Rules and channels as requests write them. */
import { z } from 'zod';
import { RULE_KINDS } from '../../store/schema/analytics/tell.ts';
import { givenText, searchSlug, topicSlug } from './given.ts';

const givenSlug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    '1 to 63 lower-case letters, digits and hyphens, none of them first a hyphen',
  );
export const ruleSlug = givenSlug.meta({ description: 'Slug of a rule.', examples: ['ferry-news'] });
export const channelSlug = givenSlug.meta({ description: 'Slug of a channel.', examples: ['ops'] });

const ruleMembers = {
  name: givenText(120).min(1).describe('What a person calls it; left out: its slug.'),
  on: z.array(z.enum(RULE_KINDS)).min(1).describe('What it tells of; left out: posts and links.'),
  topic: topicSlug.nullable().describe('The topic that it watches; null: none in particular.'),
  search: searchSlug.nullable().describe('The search that it watches; null: none in particular.'),
  filter: givenText(500).describe(
    'Words that must appear, -words that must not, "phrases in quotes"; empty: everything passes.',
  ),
  cooldown: givenText(20).describe(
    'At most one message in this time, such as 30m or 1h; 0: one per run that found something.',
  ),
};
const channels = z.array(channelSlug).min(1).max(20).describe('Slugs of the channels that it tells.');

export const newRule = z
  .strictObject({ slug: ruleSlug, channels, ...z.object(ruleMembers).partial().shape })
  .meta({
    examples: [
      {
        slug: 'storm-news',
        on: ['post', 'spike'],
        filter: 'storm -forecast',
        cooldown: '1h',
        channels: ['ops'],
      },
    ],
  });
export const editedRule = z
  .strictObject({ ...ruleMembers, channels })
  .partial()
  .meta({ examples: [{ cooldown: '30m' }] });

const webhook = z.string().max(2_000).describe('Where messages are posted to: an https address.');

export const newChannel = z
  .strictObject({ slug: channelSlug, webhook })
  .meta({ examples: [{ slug: 'team', webhook: 'https://hooks.example.com/strandline' }] });
export const editedChannel = z
  .strictObject({ webhook })
  .meta({ examples: [{ webhook: 'https://hooks.example.com/strandline-2' }] });
