/** Which side of the data a page is about: real or simulated. */

import { Icon } from './icons.tsx';
import { writeSide, writeSidePath } from './list-address.ts';
import { useFrame } from './page-frame.tsx';
import type { ComponentProps } from 'preact';

/**
 * Says so, once, if the page shows simulated data, or a side without topics; links to the other side, if there is one. Nothing on
 * pages that are about neither side.
 * @param path of the page, if it can show the other side
 */
export function SideNotice({ path }: { path: string | undefined }) {
  const { named, sides } = useFrame();
  if (path === undefined && !named) return null;
  const other = data === 'real' ? 'simulated' : 'real';
  const target = path !== undefined && sides[other] ? writeSide(path) : undefined;
  const empty = path === undefined ? null : describeEmptySide(data, sides);
  if (data === 'real' && target === undefined) return null;
  return (
    <p class={data === 'simulated' ? 'advice' : 'hint'} role="note">
      {data === 'simulated' ? (
        <>
          <Icon name="warning" /> <strong>Simulated data.</strong> The sandbox made up everything on this
          page.{' '}
        </>
      ) : null}
      {empty === null ? null : `${empty} `}
      {target === undefined ? null : <a href={target}>Show {other} data</a>}
    </p>
  );
}

/** For forms of pages that show one side: the same side is asked for. */
export function KeptSide() {
  const { sides } = useFrame();
  return data === 'simulated' && sides.real ? <input type="hidden" name="simulated" value="1" /> : null;
}

/** Addresses of pages that show the same side. */
export function useSidePath(): (path: string) => string {
  const frame = useFrame();
  return (path) => writeSidePath(frame, path);
}

/** A link to a page that shows the same side. */
export function SideLink({ href, ...rest }: ComponentProps<'a'> & { href: string }) {
  const writePath = useSidePath();
  return <a href={writePath(href)} {...rest} />;
}
