/** The answer of a run as it came, for people: its beginning; and all of it, to be kept. */
import type { RawResponse } from '../../../store/responses.ts';
import type { KeptAnswerNote } from '../../../store/reads/run-pages.ts';
import { bytesOf } from '../detail/units.ts';
import { Act } from '../kit/form.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import { setInLines } from './json-text.ts';

/** Characters that are shown, and bytes that are looked at for that. */
const MOST_SHOWN = 20_000;
const MOST_READ = 200_000;
/** Larger ones are not unpacked to show their beginning. */
export const INLINE_MOST = 5_000_000;

export function Answer({
  id,
  note,
  answer,
  days,
  replayable,
}: {
  id: bigint;
  note: KeptAnswerNote | undefined;
  /** Null where it is too large to be shown. */
  answer: RawResponse | null;
  /** How long answers are kept. */
  days: number;
  /** Whether the visitor may have it read again. */
  replayable: boolean;
}) {
  if (note === undefined)
    return (
      <Section title="The raw answer" id="answer">
        <Empty words={`None is kept: there was no answer, or it is older than ${days} days.`} />
      </Section>
    );
  const shown = answer === null ? null : beginningOf(answer);
  return (
    <Section
      title="The raw answer"
      id="answer"
      note={
        <>
          As it came with call {note.n}, <When at={note.received_at} exact />: {bytesOf(note.bytes)}
          {note.content_type === null ? '' : `, ${note.content_type.slice(0, 80)}`}; kept for {days} days.
        </>
      }
      aside={
        <span class="aside">
          <a class="button" href={`/runs/${id}/answer`} download={`run-${id}.txt`}>
            Download
          </a>
          {replayable ? <Act action={`/runs/${id}/replay`} words="Read it again" /> : null}
        </span>
      }
    >
      {shown === null ? (
        <Empty
          words="It is too large to be shown here."
          todo={{ words: 'Download it', href: `/runs/${id}/answer` }}
        />
      ) : (
        <details>
          <summary>Show {shown.cut ? 'how it begins' : 'it'}</summary>
          <pre class="raw" tabIndex={0}>
            <code>
              <Outside text={shown.text} most={MOST_SHOWN} />
            </code>
          </pre>
        </details>
      )}
    </Section>
  );
}

/** JSON in lines of its own, anything else as it is. */
function beginningOf({ body, contentType }: RawResponse): { text: string; cut: boolean } {
  const text = body.subarray(0, MOST_READ).toString('utf8');
  if (contentType?.includes('json') === true) {
    const set = setInLines(text, MOST_SHOWN);
    return { text: set.text, cut: set.cut || body.byteLength > MOST_READ };
  }
  return { text: text.slice(0, MOST_SHOWN), cut: text.length > MOST_SHOWN || body.byteLength > MOST_READ };
}
