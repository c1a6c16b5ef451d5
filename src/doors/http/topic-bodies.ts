import { z } from 'zod';
import { PROMPT_MAX } from '../../contract/request.ts';
import { givenText, topicSlug } from './given.ts';
import { searchOfTopic, serviceKind } from './search-bodies.ts';

const name = givenText(200).describe('What a person calls it.');
const slug = topicSlug.optional().describe('Made from the name or text where it is left out.');

export const newTopic = z
  .strictObject({
    name,
    slug,
    service: serviceKind.optional(),
    searches: z.array(searchOfTopic).max(20),
  })
  .meta({
    examples: [
      {
        name: 'Night train',
        service: 'sandbox',
        searches: [{ operation: 'microblog', prompt: 'night train', every: '15m' }],
      },
    ],
  });

export const watchedText = z
  .strictObject({
    text: givenText(PROMPT_MAX).describe('What to look for.'),
    name: name.optional().describe('The text where it is left out.'),
    slug,
    service: serviceKind.optional(),
    posts_every: givenText(60).optional().describe('How often to look for posts; 15m where it is left out.'),
    ai_every: givenText(60).optional().describe('How often to ask the AI search; 1h where it is left out.'),
  })
  .meta({ examples: [{ text: 'tide pools', service: 'sandbox' }] });

export const renamedTopic = z.strictObject({ name }).meta({ examples: [{ name: 'Ferries of the harbour' }] });
