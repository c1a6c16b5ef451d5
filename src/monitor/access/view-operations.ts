/** Operations on saved views: addresses of pages with their filters, each under a name. */
import { z } from 'zod';
import { Refused } from '../../model/errors.ts';
import { idKey, idShape, storable, textParam, timeShape } from '../../model/value-shapes.ts';
import { readSavedViews, type SavedView } from '../../store/access/saved-views.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { MAX_VIEW_ADDRESS, MAX_VIEW_NAME, removeView, saveView } from './manage-views.ts';

const View = z
  .object({
    id: idShape,
    name: z.string(),
    address: z.string().describe('Path and query of the page.'),
    created_at: timeShape,
  })
  .meta({ id: 'SavedView' });

const newView = z
  .strictObject({
    name: textParam(MAX_VIEW_NAME)
      .describe('Unique.')
      .register(commandWords, { argument: 'name', help: `name, at most ${MAX_VIEW_NAME} characters` }),
    address: textParam(MAX_VIEW_ADDRESS)
      .describe('Path and query of a page of the dashboard.')
      .register(commandWords, {
        argument: 'address',
        help: 'path of a page, such as "/topics/harbour-ferry?range=7d"',
      }),
  })
  .meta({ examples: [{ name: 'Ferry, this week', address: '/topics/harbour-ferry?range=7d' }] });

const named = z
  .codec(storable(z.string()), z.union([z.bigint(), z.string()]), {
    decode: (text) => {
      const id = z.safeDecode(idKey, text);
      return id.success ? id.data : text;
    },
    encode: String,
  })
  .meta({ description: 'Id or name of a saved view.', examples: ['1'] })
  .register(commandWords, { argument: 'view', help: 'name or id; see: views list' });

const about = { tag: 'views', scope: 'write' } as const;

export const VIEW_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'saveView',
    route: 'POST /api/v1/views',
    command: 'views add',
    does: 'Save the address of a page under a name',
    more: 'The view is listed on the overview, for everybody who may read.',
    input: newView,
    output: View,
    created: true,
    idempotent: true,
    example: 'strandline views add "Ferry, this week" "/topics/harbour-ferry?range=7d"',
    run: ({ ctx }, view) => saveView(ctx, view),
  }),
  declareOperation({
    ...about,
    id: 'listViews',
    route: 'GET /api/v1/views',
    command: 'views list',
    scope: 'read',
    does: 'List saved views',
    more: 'By name; each with the address that it opens.',
    input: z.strictObject({}),
    output: View,
    list: { cursor: z.tuple([z.string()]), key: ({ name }: SavedView) => [name] },
    run: ({ ctx, page: { limit, after } }) =>
      readSavedViews(ctx.db, { limit, after: (after as [string] | undefined)?.[0] }), // as `list` declares it
  }),
  declareOperation({
    ...about,
    id: 'removeView',
    route: 'DELETE /api/v1/views/{view}',
    command: 'views remove',
    does: 'Remove a saved view',
    more: 'The page itself stays.',
    input: z.strictObject({ view: named }),
    output: View,
    run: async ({ ctx }, { view }) => {
      const removed = await removeView(ctx, view);
      if (removed === undefined)
        throw new Refused('not_found', 'there is no such saved view; see: strandline views list');
      return removed;
    },
  }),
];
