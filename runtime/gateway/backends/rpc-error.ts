/**
 * A JSON-RPC error of a backend's answer. Code, message and data are the backend's own without additions, so that relaying never stacks
 * prefixes.
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

/** Whether an error exists only in the stateless revision: header mismatch, missing client capability, unsupported revision. */
export function isModernCode(code: unknown): boolean {
  return code === -32020 || code === -32021 || code === UNSUPPORTED_REVISION;
}

/** `data.supported` lists the supported revisions. */
export const UNSUPPORTED_REVISION = -32022;

/** The revisions in `data` of an unsupported-revision error; undefined when it lists none. */
export function readSupportedRevisions(data: unknown): readonly string[] | undefined {
  const supported = (data as { supported?: unknown } | null | undefined)?.supported;
  return Array.isArray(supported) ? supported.filter(item => typeof item === 'string') : undefined;
}
