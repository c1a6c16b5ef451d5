import { listTopics } from '../../store/topics.ts';
import { stateFact } from '../../store/facts.ts';
import type { Context } from '../context.ts';
import type { Watched } from './create-topic.ts';
import { watchTopic } from './watch.ts';

/**
 * Gives an empty database one topic of the sandbox to look at, once: removed, it does not come back. It
 * belongs to the sandbox for ever, so that nothing the program sets up by itself ever costs anything.
 */
export async function makeSampleTopic(
  ctx: Context,
  sample: { slug: string; name: string; prompt: string },
): Promise<Watched | null> {
  if ((await listTopics(ctx.db.pool)).length > 0) return null;
  if (!(await stateFact(ctx.db, 'sample_topic', sample.slug, ctx.clock.now()))) return null;
  return watchTopic(
    { ...ctx, actor: { kind: 'program', name: 'sample topic' } },
    {
      text: sample.prompt,
      name: sample.name,
      slug: sample.slug,
      service: 'sandbox',
      postsEvery: '1m',
      aiEvery: '5m',
      sample: true,
    },
  );
}
