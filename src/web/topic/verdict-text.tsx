import type { Relevance } from '../../store/queries/judgements.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Of tabs. */
export const RELEVANCE_NAMES: Readonly<Record<Relevance, string>> = {
  relevant: 'Relevant',
  irrelevant: 'Not relevant',
  not_judged: 'Not judged',
};

/** `relevant: a ruling of a court`: below an item of a topic with a goal. @param waiting the model will be asked */
export function VerdictText({
  relevant,
  why,
  waiting = false,
}: {
  relevant: boolean | null;
  why: string | null;
  waiting?: boolean;
}) {
  const words =
    relevant === null ? (waiting ? 'not judged yet' : 'not judged') : relevant ? 'relevant' : 'not relevant';
  return (
    <div class="hint">
      {words}
      {why === null ? null : (
        <>
          : <UntrustedText text={why} most={200} />
        </>
      )}
    </div>
  );
}
