import type { CatalogItem, CatalogLock, LockedBackendEntry } from '#schemas';

export type Tools = readonly {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}[];

/** A lock with these tools, by the keys of their backends. Types do not depend on the digests. */
export function createLock(backends: Readonly<Record<string, Tools>>): CatalogLock {
  const entries = Object.entries(backends).map(([key, tools]): [string, LockedBackendEntry] => {
    const items = tools.map(tool => [tool.name, { digest: '', definition: tool as unknown as CatalogItem }] as const);
    const server = { name: 'server', version: '1.0.0' };
    const entry = { url: '', transport: 'streamable-http' as const, protocolVersion: '2025-11-25', server };
    return [key, { ...entry, tools: Object.fromEntries(items) }];
  });
  return { lockfileVersion: 1, backends: Object.fromEntries(entries) };
}
