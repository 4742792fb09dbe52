/** A listing that returns its own arguments, for tests of the HTTP layer in front of it. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ApiError, type PreparedBody, type RegistryApi } from '../../../runtime/registry/api.ts';

export interface ApiCall {
  readonly operation: 'servers' | 'versions' | 'version';
  readonly registry: string;
  readonly sources: readonly string[];
  readonly [detail: string]: unknown;
}

/** A body in every coding: gzip at once, brotli later. */
export function preparedBody(value: unknown): PreparedBody {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    bytes,
    mediaType: 'application/json',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`,
    encoded: coding => (coding === 'gzip' ? gzipSync(bytes) : Promise.resolve(brotliCompressSync(bytes))),
  };
}

/** A listing that has every server except `com.example/missing`. */
export function echoingApi(): RegistryApi & { readonly calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  const answer = (call: ApiCall): PreparedBody => {
    calls.push(call);
    if (call.name === 'com.example/missing') throw new ApiError(404, 'not found');
    return preparedBody(call);
  };
  return {
    calls,
    servers: (request, parameters) => answer({ operation: 'servers', ...request, parameters }),
    versions: (request, name, parameters) => answer({ operation: 'versions', ...request, name, parameters }),
    version: (request, name, version, parameters) =>
      answer({ operation: 'version', ...request, name, version, parameters }),
  };
}
