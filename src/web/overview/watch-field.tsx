/** The field for a new topic: one line, large where nothing is watched yet. */
import type { ServiceKind } from '../../model/closed-lists.ts';
import { Button, Field, Form } from '../components/form.tsx';
import { CREATE_TOPIC_SCOPES, IfAllowed, useFrame } from '../components/page-frame.tsx';
import { PART_NAMES } from '../edit/new-topic-form.tsx';

/** Watches at once if that costs nothing; otherwise the next page says what it costs. @param service of a new search */
export function WatchField({ service, large = false }: { service: ServiceKind; large?: boolean }) {
  const isFree = useFrame().free.has(service);
  return (
    <IfAllowed scope={CREATE_TOPIC_SCOPES}>
      <Form action="/new" label="New topic" class={large ? 'form watch large' : 'form watch'}>
        {PART_NAMES.map((part) => (
          <input type="hidden" name="searches" value={part} />
        ))}
        <Field
          name="text"
          label="What should be watched?"
          placeholder="harbour ferry"
          autocomplete="off"
          {...(large
            ? { help: 'Words, a name or a question. Searches run on a schedule and show what is new.' }
            : {})}
          required
        />
        <div class="buttons">
          <Button
            words={isFree ? 'Watch' : 'Continue'}
            kind="main"
            name="do"
            value={isFree ? 'save' : 'preview'}
          />
          <a href="/new">More settings</a>
        </div>
      </Form>
    </IfAllowed>
  );
}
