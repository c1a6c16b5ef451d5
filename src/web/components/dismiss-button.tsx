/** Buttons that mark things of a topic as not relevant, beside lists that the script replaces, which have no forms; and what is hidden. */
import { formatCount, formatWhole } from '../../lib/display-format.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import type { RelevanceRow } from '../../store/alerts/dismissals.ts';
import type { Id } from '../../store/db/database.ts';
import { ActionButton, Form } from './form.tsx';
import { IfAllowed, useFrame } from './page-frame.tsx';
import { nameTopic } from './scope-names.tsx';
import { Timestamp } from './timestamp.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/** In UTF-16 code units. */
const MAX_NAMED = 60;

/** The form of the buttons of a page. It has no content of its own. @param props.topic of buttons that name none */
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

/** @param props.text of the thing, for screen readers @param props.topic on a page of several topics @param props.names whether the topic is named */
export function DismissButton({
  kind,
  id,
  text,
  topic,
  names = false,
}: {
  kind: 'post' | 'link';
  id: Id;
  text: string;
  topic?: string;
  names?: boolean;
}) {
  const frame = useFrame();
  const words =
    topic === undefined || !names ? 'Not relevant' : `Not relevant for ${cleanLine(nameTopic(frame, topic))}`;
  return (
    <IfAllowed scope="write">
      <button
        type="submit"
        form="dismiss"
        formaction={topic === undefined ? undefined : `/topics/${topic}/dismiss`}
        class="quiet dismiss"
        name={kind}
        value={String(id)}
        title={words}
        aria-label={`${words}: ${truncateText(cleanLine(text), MAX_NAMED)}`}
      >
        ✕
      </button>
    </IfAllowed>
  );
}

/** How many things of a topic its lists leave out, and the way to them; nothing if none are. */
export function HiddenNote({ topic, count }: { topic: string; count: number }) {
  return count === 0 ? null : (
    <p class="hint">
      {formatCount(count, 'thing')} of this topic {count === 1 ? 'is' : 'are'} hidden as not relevant, with
      what says the same. <a href={`/topics/${topic}/dismissed`}>Show them</a>
    </p>
  );
}

/** Leads from what is shown to what is hidden of the same list, and back; nothing if nothing is hidden. */
export function HiddenSwitch({
  isHidden,
  others,
  href,
}: {
  /** Whether the list is of what is hidden. */
  isHidden: boolean;
  /** How many are not in this list. */
  others: number;
  href: string;
}) {
  if (!isHidden) return others === 0 ? null : <a href={href}>{formatWhole(others)} hidden</a>;
  return (
    <>
      Only what is hidden as not relevant. <a href={href}>Show the others ({formatWhole(others)})</a>
    </>
  );
}

/** Hides an item and its story in a topic; or says who did, with a way back. @param props.names whether the topic is named */
export function Relevance({
  kind,
  id,
  topic,
  hidden,
  names = false,
}: RelevanceRow & {
  kind: 'post' | 'link';
  id: Id;
  /** Whether the topic is named. */
  names?: boolean;
}) {
  const frame = useFrame();
  const forTopic = names ? ` for ${truncateText(cleanLine(nameTopic(frame, topic)), MAX_NAMED)}` : '';
  const fields = { [kind]: String(id), back: frame.address };
  if (hidden === null)
    return (
      <IfAllowed scope="write">
        <ActionButton action={`/topics/${topic}/dismiss`} words={`Not relevant${forTopic}`} fields={fields} />
      </IfAllowed>
    );
  return (
    <>
      <span class="hint">
        Hidden as not relevant{forTopic}
        {hidden.by === null ? null : (
          <>
            {' '}
            by <UntrustedText text={hidden.by} most={MAX_NAMED} />
          </>
        )}{' '}
        on <Timestamp at={hidden.at} exact />
      </span>
      <IfAllowed scope="write">
        <ActionButton action={`/topics/${topic}/restore`} words="Undo" fields={fields} />
      </IfAllowed>
    </>
  );
}
