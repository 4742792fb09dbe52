import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { buildEmbeddingManifests, type Manifest } from '../emit/manifests/index.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { compareByName } from './compare-by-name.ts';
import type { CheckedObjects } from './objects.ts';

const KIND = 'EmbeddingServer';

export interface CompiledEmbeddingServer {
  readonly object: ObjectRef;
  readonly document: ResourceDocument;
  /** The objects that run it, in the order of applying; empty when it has an error. */
  readonly manifests: readonly Manifest[];
}

/** @param errorsFor - the errors that may affect an object of a namespace */
export function compileEmbeddingServers(
  { resources, inventory }: CheckedObjects,
  errorsFor: (namespace: string) => readonly Diagnostic[],
): readonly CompiledEmbeddingServer[] {
  return resources
    .filter(resource => inventory.find(KIND, resource.namespace, resource.name) === resource)
    .map(resource => compileEmbeddingServer(resource, errorsFor(resource.namespace)))
    .sort(compareByName);
}

function compileEmbeddingServer(server: Resource, errors: readonly Diagnostic[]): CompiledEmbeddingServer {
  const { document, kind, name } = server;
  const isBroken = errors.some(({ object }) => object === undefined || (object.kind === kind && object.name === name));
  return { object: document.object, document, manifests: isBroken ? [] : buildEmbeddingManifests(server) };
}
