/** A call of an operation, as a shell sends it: pure. */
import type { Operation } from './document.ts';

/** @param origin of this server, without a path */
export function curlOf({ method, path, parameters, example, scopes }: Operation, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const given = parameters.find((one) => one.place === 'path' && one.name === name)?.example;
    return given === undefined || given === null ? whole : encodeURIComponent(given);
  });
  const asked = parameters.flatMap(({ place, name, required, example: value }) =>
    place === 'query' && required && value !== null ? [`${name}=${encodeURIComponent(value)}`] : [],
  );
  const query = asked.length === 0 ? '' : `?${asked.join('&')}`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${origin}${filled}${query}`)}`,
    ...(scopes.length === 0 ? [] : [`  -H "Authorization: Bearer $TOKEN"`]),
    ...(example === null
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(oneLine(example))}`]),
  ].join(' \\\n');
}

function oneLine(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json; // an example may be a text
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
