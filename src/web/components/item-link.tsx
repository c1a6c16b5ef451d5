/** The words of a post or link. */
import { useFrame } from './page-frame.tsx';
import { Translated } from './translation.tsx';
import { ExternalLink, UntrustedText } from './untrusted-text.tsx';

/** With its translation, if there is one. Leads to the page of an item; on a shared page, which opens no other, to the original. @param props.url of the original, if known */
export function ItemLink({
  path,
  url,
  text,
  most,
}: {
  path: string;
  url: string | null;
  text: string;
  /** In UTF-16 code units. */
  most: number;
}) {
  const isOriginal = useFrame().visitor.kind === 'shared' && url !== null;
  return (
    <>
      {isOriginal ? (
        <ExternalLink href={url} text={text} most={most} />
      ) : (
        <a href={path}>
          <UntrustedText text={text} most={most} />
        </a>
      )}
      <Translated text={text} most={most} />
    </>
  );
}
