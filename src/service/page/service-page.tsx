/** The page of the service: a form that asks, and the place of the answer. No script. */
import { DATE_FILTERS, type DateFilter, MODELS, MODEL_BUDGET_MS, TOOLS } from '../../model/enumerations.ts';
import { cleanLine } from '../../lib/text.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import { getAssetPath } from '../../web/components/asset-files.ts';
import { renderHtml } from '../../web/components/page-html.ts';
import { UntrustedText } from '../../web/components/untrusted-text.tsx';
import type { ComponentChildren, VNode } from 'preact';

/** What the form has; a question that is asked again is typed already. */
export type AskedForm = { prompt: string; model: string; date_filter: string; tools: readonly string[] };

export const INITIAL_FORM: AskedForm = {
  prompt: '',
  model: 'ORBIT',
  date_filter: 'PAST_YEAR',
  tools: TOOLS,
};

export type PageParts = {
  form: AskedForm;
  /** Whether the browser has given a key. */
  hasKey: boolean;
  version: string;
  /** Whether the sources are simulated. */
  isSimulated: boolean;
  /** What is wrong with the form, or why it was not answered. */
  problems?: readonly string[];
};

const PLACE = '<div id="answer-place"></div>';

/** The page up to the place of the answer, and the rest. */
export function renderServicePage(parts: PageParts): [before: string, after: string] {
  const html = `<!doctype html>${renderHtml(
    <ServicePage {...parts}>
      <div id="answer-place" />
    </ServicePage>,
    '',
  )}`;
  const at = html.indexOf(PLACE);
  return [html.slice(0, at), html.slice(at + PLACE.length)];
}

export function renderPart(node: VNode): string {
  return renderHtml(node, '');
}

function ServicePage({
  form,
  hasKey,
  version,
  isSimulated,
  problems = [],
  children,
}: PageParts & { children: ComponentChildren }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>strandline search service</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={getAssetPath('style.css')} />
      </head>
      <body>
        {isSimulated ? (
          <p class="sandbox-banner" role="note">
            <strong>Sandbox:</strong> every answer here is simulated.
          </p>
        ) : null}
        <main id="main" class="narrow">
          <div class="page-head">
            <h1>Ask the search service</h1>
          </div>
          <form method="post" action="/" class="form" aria-label="Ask">
            {problems.length === 0 ? null : (
              <div class="problems" role="alert">
                {problems.map((problem) => (
                  <p>
                    <UntrustedText text={problem} most={600} />
                  </p>
                ))}
              </div>
            )}
            <div class="field">
              <label for="prompt">Question</label>
              <input
                id="prompt"
                name="prompt"
                type="text"
                value={cleanLine(form.prompt)}
                maxLength={MAX_PROMPT_LENGTH}
                placeholder="Why is tidal power not used more?"
                autocomplete="off"
                required
              />
            </div>
            {hasKey ? null : <KeyField />}
            <div class="buttons">
              <button type="submit" class="main">
                Ask
              </button>
              <label class="box">
                Published in{' '}
                <select name="date_filter">
                  <Options names={DATE_FILTERS} chosen={form.date_filter} words={describePeriod} />
                </select>
              </label>
              <label class="box">
                Time limit{' '}
                <select name="model">
                  <Options names={MODELS} chosen={form.model} words={describeModel} />
                </select>
              </label>
            </div>
            <details class="more" open={form.tools.length < TOOLS.length}>
              <summary>Sources</summary>
              <div class="boxes">
                {TOOLS.map((tool) => (
                  <label class="box">
                    <input type="checkbox" name="tools" value={tool} checked={form.tools.includes(tool)} />{' '}
                    {tool}
                  </label>
                ))}
              </div>
            </details>
          </form>
          {children}
        </main>
        <footer class="foot">
          <p>strandline search service {version}</p>
          <p class="foot-links">
            <a href="/openapi.json">API</a> <a href="/healthz/sources">Sources</a>
            {hasKey ? (
              <form method="post" action="/" class="act">
                <button type="submit" class="quiet" name="forget" value="yes">
                  Forget my key
                </button>
              </form>
            ) : null}
          </p>
        </footer>
      </body>
    </html>
  );
}

function KeyField() {
  return (
    <div class="field">
      <label for="key">Key</label>
      <input id="key" name="key" type="password" autocomplete="current-password" required />
      <p class="help">
        Type it here, never into an address. Create one: <code>strandline service key create</code>. It stays
        in a cookie until you close the browser.
      </p>
    </div>
  );
}

function Options<Name extends string>({
  names,
  chosen,
  words,
}: {
  names: readonly Name[];
  chosen: string;
  words: (name: Name) => string;
}) {
  return (
    <>
      {names.map((name) => (
        <option value={name} selected={name === chosen}>
          {words(name)}
        </option>
      ))}
    </>
  );
}

/** `the past 2 weeks` */
function describePeriod(filter: DateFilter): string {
  return `the ${filter.toLowerCase().replaceAll('_', ' ')}`;
}

function describeModel(model: (typeof MODELS)[number]): string {
  return `${MODEL_BUDGET_MS[model] / 1_000} s (${model})`;
}
