/** A rule uses a feature of the API server that this code lacks: the rule was not checked. */
export class UnsupportedError extends Error {
  override readonly name = 'Unsupported';
}
