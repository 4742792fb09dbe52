/** Tool locks for the tests of this folder. */
import { type CatalogLock, computeDigest, formatCanonicalJson, type LockedBackendEntry } from '#schemas';

/** A backend's items, as lists of definitions. */
export interface Offer {
  readonly url?: string;
  readonly transport?: 'streamable-http' | 'sse';
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly tools?: readonly Definition[];
  readonly prompts?: readonly Definition[];
  readonly resources?: readonly Definition[];
  readonly resourceTemplates?: readonly Definition[];
}

export type Definition = { readonly [member: string]: unknown };

/** A catalog of these backends. */
export function createLock(offers: { readonly [key: string]: Offer }): CatalogLock {
  const backends = Object.entries(offers).map(([key, offer]) => [key, entryOf(offer)]);
  return { lockfileVersion: 1, backends: Object.fromEntries(backends) };
}

function entryOf({ tools, prompts, resources, resourceTemplates, ...rest }: Offer): LockedBackendEntry {
  return {
    url: 'https://github.example.com/mcp',
    transport: 'streamable-http',
    protocolVersion: '2025-11-25',
    server: { name: 'github', version: '1.0.0' },
    ...rest,
    ...(tools && { tools: itemsOf(tools, 'name') }),
    ...(prompts && { prompts: itemsOf(prompts, 'name') }),
    ...(resources && { resources: itemsOf(resources, 'uri') }),
    ...(resourceTemplates && { resourceTemplates: itemsOf(resourceTemplates, 'uriTemplate') }),
  };
}

function itemsOf(definitions: readonly Definition[], key: string): NonNullable<LockedBackendEntry['tools']> {
  return Object.fromEntries(
    definitions.map(definition => [
      definition[key],
      { digest: computeDigest(formatCanonicalJson(definition)), definition },
    ]),
  );
}

export const GITHUB = 'default/MCPServerEntry/github';
