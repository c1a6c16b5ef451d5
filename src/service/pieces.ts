/** The longest piece of a streamed text, in characters. */
export const PIECE_MAX = 20;

/**
 * A text in pieces of at most 20 characters that join to the text again: cut before words, and never inside
 * a character that takes two code units.
 */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const part of text.match(/\s*\S+|\s+$/g) ?? []) {
    if (piece !== '' && piece.length + part.length > PIECE_MAX) {
      pieces.push(piece);
      piece = '';
    }
    for (const character of part) {
      if (piece.length + character.length > PIECE_MAX) {
        pieces.push(piece);
        piece = '';
      }
      piece += character;
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
