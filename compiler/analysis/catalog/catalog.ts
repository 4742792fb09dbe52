import type { CatalogItem } from '#schemas';

/** What backends offered when the tool lock was written. Compiling is offline, so the compiler knows nothing else about backends. */
export interface Catalog {
  /** The file that the catalog was read from, as messages show it. */
  readonly file: string;
  /** Whether all of the file is valid; otherwise an item that is missing here may be in its broken part. */
  readonly isWhole: boolean;
  /** @param key the key that {@link BackendOrigin} has */
  backend(key: string): LockedBackend | undefined;
}

/** Definitions as the backend sent them, each with the member that names it: `name`, `uri` or `uriTemplate`. */
export interface LockedItems {
  readonly tools: readonly CatalogItem[];
  readonly prompts: readonly CatalogItem[];
  readonly resources: readonly CatalogItem[];
  readonly resourceTemplates: readonly CatalogItem[];
}

export interface LockedBackend extends LockedItems {
  /** The MCP revision of the backend's answer. */
  readonly protocolVersion: string;
}
