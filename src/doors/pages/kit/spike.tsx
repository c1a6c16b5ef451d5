import type { SpikeRow } from '../../../store/reads/trends.ts';
import { Icon } from './icon.tsx';
import { When } from './when.tsx';

/** A spike in its sentence, with where it was and which post most of it is. */
export function Spike({ spike, within }: { spike: SpikeRow; within?: 'topic' | 'search' }) {
  return (
    <div class="spike">
      <Icon name="spike" />
      <p>
        {within === 'search' ? null : (
          <>
            <a href={`/searches/${spike.search}`}>{spike.search}</a>{' '}
          </>
        )}
        <span class="spike-sentence">{spike.sentence}</span>{' '}
        <span class="line-more">
          <When at={spike.window_end} />
          {spike.top_post_id === null ? null : (
            <a href={`/posts/${spike.top_post_id}`}>the post that gained most</a>
          )}
        </span>
      </p>
    </div>
  );
}
