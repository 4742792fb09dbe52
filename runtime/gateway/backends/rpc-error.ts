/**
 * A JSON-RPC error that a backend answered with. Code, message and data are the backend's own, nothing added, so that
 * relaying it never stacks prefixes.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** Errors that only the stateless revision has: header mismatch, missing client capability, unsupported revision. */
export function isModernCode(code: unknown): boolean {
  return code === -32020 || code === -32021 || code === UNSUPPORTED_REVISION;
}

/** `data.supported` names the revisions that are. */
export const UNSUPPORTED_REVISION = -32022;

/** What `data` of such an error names; undefined when it names none. */
export function supportedRevisions(data: unknown): readonly string[] | undefined {
  const supported = (data as { supported?: unknown } | null | undefined)?.supported;
  return Array.isArray(supported) ? supported.filter(item => typeof item === 'string') : undefined;
}
