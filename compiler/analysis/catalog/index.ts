/**
 * The tool lock: what backends offered when `lintel lock` ran. This folder reads, writes and compares locks, generates their types, and
 * builds the query for each backend.
 */
export { isHttpUrl, type MissingVariable, prepareQuery } from './backend-query.ts';
export type { Catalog, LockedBackend, LockedItems } from './catalog.ts';
export type { Credential, StaticHeader } from './credential.ts';
export { diffCatalogs } from './diff/catalog-diff.ts';
export type { CatalogDiff } from './diff/change.ts';
export { renderDiffMarkdown, renderDiffText } from './diff/render.ts';
export { lockText } from './lock-text.ts';
export { createLockedEntry, redactUrl } from './locked-entry.ts';
export { createCatalog, EMPTY_LOCK, type ReadCatalog, readCatalog } from './read-catalog.ts';
export { deduplicateBackends, listSourceBackends, type SourceBackend } from './source-backends.ts';
export { formatTypes, TYPES_HEADER } from './types/types-text.ts';
export { updateLock } from './update-lock.ts';
