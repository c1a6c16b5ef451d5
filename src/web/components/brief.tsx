/** A brief: sentences of a language model with the numbers of what they cite, marked as such. */
import { type Brief, type BriefCite, listBriefSentences } from '../../model/value-shapes.ts';
import { useFrame } from './page-frame.tsx';
import { Timestamp } from './timestamp.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/** UTF-16 code units of a sentence; the model's are shorter. */
const MAX_SENTENCE = 600;
const MAX_MODEL_NAME = 60;

/** Each number leads to the page of what it cites; on a shared page, which opens no other, nowhere. */
export function BriefNumbers({ cites }: { cites: readonly BriefCite[] }) {
  const isShared = useFrame().visitor.kind === 'shared';
  return (
    <>
      {cites.map(({ n, path, words }) => (
        <sup>
          {' '}
          {isShared ? (
            n
          ) : (
            <a href={path} title={words}>
              {n}
            </a>
          )}
        </sup>
      ))}
    </>
  );
}

/** Nothing without a brief. @param span what it is about, where the page does not say so: `last 24 hours` */
export function BriefBlock({ brief, span }: { brief: Brief | null; span?: string }) {
  if (brief === null) return null;
  return (
    <div class="brief">
      <p>
        {listBriefSentences(brief).map(({ text, cites }) => (
          <>
            <UntrustedText text={text} most={MAX_SENTENCE} />
            <BriefNumbers cites={cites} />{' '}
          </>
        ))}
      </p>
      <p class="why">
        Written by a language model (<UntrustedText text={brief.model} most={MAX_MODEL_NAME} />
        ), <Timestamp at={new Date(brief.written_at)} />
        {span === undefined ? '' : `, of the ${span}`}.
      </p>
    </div>
  );
}
