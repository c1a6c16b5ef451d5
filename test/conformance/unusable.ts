/** What was asked cannot be done, in words for a person. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
