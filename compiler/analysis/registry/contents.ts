/** The contents of a registry server's sources that are known at compile time: files of the repository, and exported objects. */

import { type PrivateDenial, passesFilter, type RegistryEntry, type RegistrySource } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic, ObjectRef } from '../../diagnostics/diagnostic.ts';
import { isMistake } from '../../diagnostics/is-error.ts';
import type { Inventory } from '../../resolve/inventory.ts';
import type { QueryCache } from '../../resolve/query-cache.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { createRelatedLocation } from '../../source/locate-finding.ts';
import type { Sources } from '../../source/read-sources.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { collectClusterContents } from './cluster-contents.ts';
import type { RegistryDocument } from './document.ts';
import { attributeFindings, readEntriesFile } from './entries-file.ts';
import { findPathToBundle, resolveEntriesFile } from './entries-path.ts';
import { toFilterPlan } from './entry-filter.ts';

/** The sources outside of a registry server that its contents may come from. */
export interface RegistryContext {
  readonly inventory: Inventory;
  /** Objects that could not be parsed. */
  readonly broken: readonly ResourceDocument[];
  readonly files: Pick<Sources, 'texts' | 'refused'>;
  readonly memory: QueryCache;
  /** Requires that no upstream is at a private address. Undefined: the configuration decides. */
  readonly denial?: PrivateDenial | undefined;
  /** A gateway of the same run. */
  findGateway(namespace: string, name: string): SurroundingGateway | undefined;
}

export interface SurroundingGateway {
  /** Returns the model of the gateway; null when the gateway has an error. */
  readonly model: () => GatewayModel | null;
  /** The first error that keeps the gateway from being built. */
  readonly blocker: Diagnostic | undefined;
}

/** The entries of one source that are written into the bundle. */
export interface BundledEntries {
  /** The entries: filtered, unsorted; each name and version once. */
  readonly entries: readonly RegistryEntry[];
  /** The file or objects that the entries were read from, for messages. */
  readonly origin: string;
}

export interface RegistryContents {
  /** Entries that the bundle contains, by the name of their source. */
  readonly bundled: ReadonlyMap<string, BundledEntries>;
  readonly diagnostics: readonly Diagnostic[];
  /** An object with errors that make the contents of a source uncertain; undefined when there is none. */
  readonly openedBy: ObjectRef | undefined;
}

export function readRegistryContents(registry: RegistryDocument, registryContext: RegistryContext): RegistryContents {
  const cluster = collectClusterContents(registry, registryContext);
  const bundled = new Map(cluster.bundled);
  const diagnostics = [...cluster.diagnostics];
  for (const [index, source] of registry.config.sources.entries()) {
    const path = findPathToBundle(source);
    if (path === undefined) continue;
    const read = readFileContents(registry.document, { source, index, path }, registryContext);
    diagnostics.push(...read.diagnostics);
    bundled.set(source.name, { entries: read.entries, origin: path });
  }
  return { bundled, diagnostics, openedBy: cluster.openedBy };
}

interface FileSource {
  readonly source: RegistrySource;
  readonly index: number;
  readonly path: string;
}

function readFileContents(
  document: ResourceDocument,
  { source, index, path }: FileSource,
  { files, memory }: RegistryContext,
): { readonly entries: readonly RegistryEntry[]; readonly diagnostics: readonly Diagnostic[] } {
  const name = resolveEntriesFile(document.doc.file, path);
  const at = ['sources', index, 'file', 'path'];
  const reason = files.refused?.get(name);
  const text = reason === undefined ? files.texts.get(name) : undefined;
  if (text === undefined)
    return { entries: [], diagnostics: [diagnose(document, 'LNT8020', at, `${name} ${reason ?? 'was not read'}`)] };
  const { entries, findings } = memory.getOrCompute('entries', text, () => readEntriesFile(text));
  const reader = createRelatedLocation(`the source "${source.name}" reads it`, document.doc, at);
  const diagnostics = attributeFindings(document, findings, reader);
  const passed = entries.filter(({ server }) => passesFilter(toFilterPlan(source.filter), server));
  if (passed.length > 0 || diagnostics.some(isMistake)) return { entries: passed, diagnostics };
  const message = `none of the ${entries.length} entries of ${name} passes the filter`;
  const unfit = diagnose(document, 'LNT8025', ['sources', index, 'filter'], message, { at: 'key' });
  return { entries: passed, diagnostics: [...diagnostics, unfit] };
}
