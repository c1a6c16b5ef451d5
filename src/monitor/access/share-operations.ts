/** Operations on shared pages: links that show one page without a token. */
import { z } from 'zod';
import { idOrPrefixParam, idParam, idShape, textParam, timeShape } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { commandWords, declareOperation } from '../operation.ts';
import {
  createShare,
  DEFAULT_SHARE_SPAN,
  listShares,
  MAX_SHARE_NAME,
  revokeShare,
  SHARE_SPANS,
  writeSharePath,
} from './manage-shares.ts';
import { MAX_VIEW_ADDRESS } from './manage-views.ts';

const members = {
  id: idShape,
  prefix: z.string().describe('The eight characters that identify the key of its link.'),
  name: z.string(),
  address: z.string().nullable().describe('Path and query of the page. Null: what it shows was removed.'),
  created_by: z.string().describe('A token by its prefix, an account of the command line, or this machine.'),
  created_at: timeShape,
  expires_at: timeShape,
  last_opened_at: timeShape.nullable().describe('To the hour. Null: never.'),
  revoked_at: timeShape.nullable().describe('Null: not revoked.'),
};
const Share = z.object(members).meta({ id: 'Share' });
const NewShare = z
  .object({
    ...members,
    url: z.string().nullable().describe('The link, shown once; null in a replayed reply.'),
  })
  .meta({ id: 'NewShare' });

const newShare = z
  .strictObject({
    address: textParam(MAX_VIEW_ADDRESS)
      .describe('Path and query of the overview, a topic, a search, its answers, a story or a comparison.')
      .register(commandWords, {
        argument: 'address',
        help: 'page to share, such as "/topics/harbour-ferry?range=7d"',
      }),
    expires_in: z
      .enum(SHARE_SPANS)
      .default(DEFAULT_SHARE_SPAN)
      .describe('Time until the link expires.')
      .register(commandWords, {
        flag: '--expires <time>',
        help: `${SHARE_SPANS.join(', ')} (default: ${DEFAULT_SHARE_SPAN})`,
      }),
    name: textParam(MAX_SHARE_NAME)
      .optional()
      .describe('Default: what the page shows.')
      .register(commandWords, { help: 'such as who it is for (default: what the page shows)' }),
  })
  .meta({ examples: [{ address: '/topics/harbour-ferry?range=7d', expires_in: '7d' }] });

const named = idOrPrefixParam
  .meta({ description: 'Id or prefix of a link.', examples: ['1'] })
  .register(commandWords, { argument: 'share', help: 'prefix, id or link; see: shares list' });

const about = { tag: 'shares', scope: 'admin' } as const;

export const SHARE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createShare',
    route: 'POST /api/v1/shares',
    command: 'shares add',
    does: 'Create a link that shows one page, shown once',
    more: 'Only this reply contains the link. Whoever has it sees this page and nothing else, without a token, until it expires or is revoked.',
    input: newShare,
    output: NewShare,
    once: 'url',
    created: true,
    idempotent: true,
    example: 'strandline shares add "/topics/harbour-ferry?range=7d" --expires 1d',
    run: async ({ ctx, findPublicBase }, written) => {
      const { share, key } = await createShare(ctx, written);
      return { ...share, url: `${await findPublicBase()}${writeSharePath(key)}` };
    },
  }),
  declareOperation({
    ...about,
    id: 'listShares',
    route: 'GET /api/v1/shares',
    command: 'shares list',
    scope: 'read',
    does: 'List links to shared pages',
    more: 'Newest first, without the links themselves. Includes revoked and expired ones.',
    input: z.strictObject({}),
    output: Share,
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id] },
    run: ({ ctx, page: { limit, after } }) =>
      listShares(ctx, { limit, before: (after as [Id] | undefined)?.[0] }), // as `list` declares it
  }),
  declareOperation({
    ...about,
    id: 'revokeShare',
    route: 'DELETE /api/v1/shares/{share}',
    command: 'shares remove',
    does: 'Revoke a link, so that it no longer works',
    more: 'Cannot be undone, and takes effect at once. The link stays listed.',
    input: z.strictObject({ share: named }),
    output: Share,
    run: ({ ctx }, { share }) => revokeShare(ctx, share),
  }),
];
