/** Buttons that mark things of a topic as not relevant, beside lists that the script replaces, which have no forms. */
import { formatCount } from '../../lib/display-format.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import type { Id } from '../../store/db/database.ts';
import { Form } from './form.tsx';
import { IfAllowed, useFrame } from './page-frame.tsx';

/** In UTF-16 code units. */
const MAX_NAMED = 60;

/** The form of the buttons of a page. It has no content of its own. */
export function DismissForm({ topic }: { topic: string }) {
  const { address } = useFrame();
  return (
    <IfAllowed scope="write">
      <Form action={`/topics/${topic}/dismiss`} class="act" id="dismiss">
        <input type="hidden" name="back" value={address} />
      </Form>
    </IfAllowed>
  );
}

/** @param text of the thing, for screen readers */
export function DismissButton({ kind, id, text }: { kind: 'post' | 'link'; id: Id; text: string }) {
  return (
    <IfAllowed scope="write">
      <button
        type="submit"
        form="dismiss"
        class="quiet dismiss"
        name={kind}
        value={String(id)}
        title="Not relevant"
        aria-label={`Not relevant: ${truncateText(cleanLine(text), MAX_NAMED)}`}
      >
        ✕
      </button>
    </IfAllowed>
  );
}

/** `3 hidden, show them`; nothing if none are. */
export function HiddenNote({ topic, count }: { topic: string; count: number }) {
  return count === 0 ? null : (
    <p class="hint">
      {formatCount(count, 'thing')} hidden as not relevant, with what says the same.{' '}
      <a href={`/topics/${topic}/dismissed`}>Show them</a>
    </p>
  );
}
