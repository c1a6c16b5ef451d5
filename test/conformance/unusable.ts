/** The request cannot be executed, with an explanation. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
