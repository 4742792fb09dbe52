/** An address cannot be bound; the message names the flag that changes it. */
export class ListenError extends Error {
  readonly code = 'ERR_LISTEN';
}
