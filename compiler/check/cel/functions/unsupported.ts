/** A rule asks for something that the API server can do and this cannot: the rule was not checked. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
