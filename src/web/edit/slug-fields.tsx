/** Fields that rename a topic or search. */

import type { Problem } from '../../model/errors.ts';
import { Field } from '../components/form.tsx';

/** The slug; and, once it turned out to lead elsewhere, whether to take it nevertheless. */
export function SlugFields({
  slug,
  help,
  problems,
}: {
  slug: string;
  help: string;
  problems: readonly Problem[];
}) {
  return (
    <>
      <Field
        name="slug"
        label="Short name"
        value={slug}
        autocomplete="off"
        help={`In addresses. The former one continues to work. ${help}`}
      />
      {problems.some(({ path }) => path === 'slug') ? (
        <Field
          name="reuse_slug"
          label="Take it, if it is only a former short name"
          kind="checkbox"
          help="The former owner can then no longer be found by it."
        />
      ) : null}
    </>
  );
}
