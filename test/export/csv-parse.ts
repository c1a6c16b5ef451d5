/** RFC 4180, strictly: what it does not allow is refused. An unquoted empty cell is null, a quoted one text. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, next] = text[at] === '"' ? quoted(text, at) : bare(text, at);
    row.push(cell);
    if (text[next] === ',') {
      at = next + 1;
      // A comma before the line's end is followed by one more, empty cell.
      if (text.startsWith('\r\n', at)) {
        row.push(null);
        rows.push(row);
        row = [];
        at += 2;
      }
    } else if (text.startsWith('\r\n', next)) {
      rows.push(row);
      row = [];
      at = next + 2;
    } else throw new Error(`neither comma nor CRLF behind a cell, at ${next}`);
  }
  if (row.length > 0) throw new Error('the last row does not end');
  return rows;
}

function quoted(text: string, start: number): [string, number] {
  let cell = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else return [cell, at + 1];
  }
  throw new Error(`a quote is not closed, at ${start}`);
}

function bare(text: string, start: number): [string | null, number] {
  const end = start + text.slice(start).search(/[,\r\n"]|$/);
  if (text[end] === '"') throw new Error(`a quote inside a bare cell, at ${end}`);
  return [end === start ? null : text.slice(start, end), end];
}
