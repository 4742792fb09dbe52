/** A rule asks for something that the API server can do and this cannot: the rule was not checked. */
export class UnsupportedError extends Error {
  override readonly name = 'Unsupported';
}
