/** `server/discover`: a stateless backend's identity. */

import { isObject } from '#schemas';
import { META } from '../../../mcp/meta-keys.ts';
import { STATELESS_REVISION } from '../../../mcp/protocol-revisions.ts';
import type { BackendIdentity, BackendRequest } from '../backend.ts';
import type { RequestMeta } from './request-text.ts';

export const DISCOVER = 'server/discover';

/** Limit on the answer: 1 MB. */
export const MAX_DISCOVERY_BYTES: number = 1024 * 1024;

let discoveries = 0;

export function discoverRequest(meta: RequestMeta): BackendRequest {
  const id = `"lintel-d${++discoveries}"`;
  const text = meta.addTo(`{"jsonrpc":"2.0","id":${id},"method":"${DISCOVER}","params":{}}`);
  return { text, id, method: DISCOVER };
}

/** The revisions in a DiscoverResult; undefined for a value that is none. */
export function readSupportedVersions(result: unknown): readonly string[] | undefined {
  const versions = isObject(result) ? result.supportedVersions : undefined;
  return Array.isArray(versions) ? versions.filter(version => typeof version === 'string') : undefined;
}

/** Converts a DiscoverResult to the form of an answer to `initialize`. */
export function readBackendIdentity(result: unknown): BackendIdentity {
  const { capabilities, serverInfo, _meta } = isObject(result) ? result : {};
  // In drafts of the revision, `serverInfo` was next to the capabilities.
  const named = isObject(_meta) && isObject(_meta[META.serverInfo]) ? _meta[META.serverInfo] : serverInfo;
  return {
    protocolVersion: STATELESS_REVISION,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(named) ? named : {},
  };
}
