import type { RelatedPlace } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

/** Kinds that accept callers and report telemetry under a name. */
const SERVER_KINDS = ['VirtualMCPServer', 'MCPServer', 'MCPRemoteProxy'];

/** The first server that uses each value, worked out once for all rules' calls over the same objects. */
export class FirstUsers {
  readonly #valueOf: (server: Resource, inventory: Inventory) => string | undefined;
  readonly #known = new WeakMap<Inventory, ReadonlyMap<string, Resource>>();

  constructor(value: (server: Resource, inventory: Inventory) => string | undefined) {
    this.#valueOf = value;
  }

  /** Another server that came first with the value of this one. */
  before(server: Resource, inventory: Inventory): Resource | undefined {
    if (!SERVER_KINDS.includes(server.kind)) return undefined;
    const value = this.#valueOf(server, inventory);
    const first = value === undefined ? undefined : this.#firsts(inventory).get(value);
    return first === server ? undefined : first;
  }

  #firsts(inventory: Inventory): ReadonlyMap<string, Resource> {
    let firsts = this.#known.get(inventory);
    if (firsts === undefined) {
      const found = new Map<string, Resource>();
      for (const server of SERVER_KINDS.flatMap(kind => inventory.all(kind))) {
        const value = this.#valueOf(server, inventory);
        if (value !== undefined && !found.has(value)) found.set(value, server);
      }
      firsts = found;
      this.#known.set(inventory, firsts);
    }
    return firsts;
  }
}

/** A place in another object. */
export function placeIn({ document: { doc } }: Resource, path: Path, message: string): RelatedPlace {
  return { message, file: doc.file, range: doc.locate(path, 'value') };
}
