/** Says once per page that what it shows is simulated. Lists of several topics mark each with a badge instead. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

/** @param children what a person can do about it */
export function SimulatedNotice({ children }: { children?: ComponentChildren }) {
  return (
    <div class="advice" role="note">
      <p>
        <Icon name="warning" /> <strong>Simulated data.</strong> The sandbox made up everything on this page.
      </p>
      {children}
    </div>
  );
}
