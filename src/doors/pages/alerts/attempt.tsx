import type { Attempt } from '../../../monitor/tell/channels/channel.ts';
import { DELIVERY_CODES } from '../../../store/tell/codes.ts';
import { Outside } from '../kit/outside.tsx';

/** What came back of one attempt to send something. */
export function AttemptView({ attempt }: { attempt: Attempt }) {
  if (attempt.kind === 'aborted') return <p class="wrong">Nobody waited for its end.</p>;
  const { answer, httpStatus } = attempt;
  return (
    <>
      {attempt.kind === 'taken' ? (
        <p>The receiver took it: HTTP {httpStatus}.</p>
      ) : (
        <p class="wrong">
          It was not taken: {DELIVERY_CODES[attempt.code]}
          {httpStatus === null ? '' : ` (HTTP ${httpStatus})`}
          {attempt.detail === null ? '' : `; ${attempt.detail}`}.
        </p>
      )}
      {answer === null || answer === '' ? null : (
        <p class="why">
          It said: <Outside text={answer} />
        </p>
      )}
    </>
  );
}
