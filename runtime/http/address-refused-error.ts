/** A connection that the address policy forbids. The message names the host and the address, nothing else of the URL. */
export class AddressRefusedError extends Error {
  readonly code = 'ERR_HTTP_ADDRESS_REFUSED';
  readonly host: string;
  constructor(host: string, reason: string) {
    super(`connecting to ${host} is not allowed: ${reason}`);
    this.name = 'AddressRefusedError';
    this.host = host;
  }
}
