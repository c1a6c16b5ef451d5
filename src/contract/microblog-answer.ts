import { z } from 'zod';
import { microblogPost } from './post.ts';

/** The answer of operation B. */
export const microblogAnswer = z.object({ miner_microblog_posts: z.array(microblogPost) });
