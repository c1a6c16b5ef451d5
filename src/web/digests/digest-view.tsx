/** A digest on a page: the same lines as in mail, in the reader's time zone. */
import { isWebUrl } from '../../model/links/link.ts';
import {
  composeSections,
  type DigestLine,
  type DigestSection,
} from '../../monitor/digests/digest-sections.ts';
import type { Digest } from '../../monitor/digests/digest-shapes.ts';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { BriefNumbers } from '../components/brief.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export function DigestView({ digest }: { digest: Digest }) {
  const { zone } = useFrame();
  return (
    <div class="digest">
      {composeSections(digest, zone).map((section) => (
        <DigestPart section={section} />
      ))}
    </div>
  );
}

function DigestPart({ section: { id, heading, lines } }: { section: DigestSection }) {
  return (
    <section id={`digest-${id}`}>
      {heading === null ? null : <h2>{heading}</h2>}
      {lines.map((line) => (
        <Line line={line} />
      ))}
    </section>
  );
}

/** No length is cut here: the sections have theirs. */
const MOST = 1_000;

function Line({ line: { style, words, path, url, action, cites } }: { line: DigestLine }) {
  const text = <UntrustedText text={words} most={MOST} />;
  const linked = path === null ? text : <a href={path}>{text}</a>;
  switch (style) {
    case 'title':
      return <p class="digest-subject">{text}</p>;
    case 'brief':
      return (
        <p class="brief">
          {text}
          <BriefNumbers cites={cites} />
        </p>
      );
    case 'name':
      return <h3>{linked}</h3>;
    case 'plus':
      return (
        <p class="digest-item is-new">
          <span aria-hidden="true">+ </span>
          <span class="unseen">New: </span>
          {linked}
        </p>
      );
    case 'minus':
      return (
        <p class="digest-item is-gone">
          <span aria-hidden="true">− </span>
          <span class="unseen">Removed: </span>
          {linked}
        </p>
      );
    case 'thing':
      return (
        <p class="digest-item">
          {linked}{' '}
          {url !== null && isWebUrl(url) ? (
            <a class="hint" href={url} rel="noreferrer nofollow">
              original
            </a>
          ) : null}
        </p>
      );
    case 'note':
      return (
        <p class="digest-item hint">
          {linked}
          {action === null ? null : (
            <IfAllowed scope="write">
              {words === '' ? null : ' · '}
              <a href={action.path}>{action.words}</a>
            </IfAllowed>
          )}
        </p>
      );
    case 'text':
      return <p>{linked}</p>;
  }
}
