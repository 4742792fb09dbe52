import { Index, type Inventory, type Resource } from '../../resolve/inventory.ts';

/** Kinds that accept callers and report telemetry under a service name. */
const SERVER_KINDS = ['VirtualMCPServer', 'MCPServer', 'MCPRemoteProxy'];

/** Records the first server that uses each value. */
export class FirstUsers {
  readonly #readValue: (server: Resource, inventory: Inventory) => string | undefined;
  readonly #users: Index;

  constructor(value: (server: Resource, inventory: Inventory) => string | undefined) {
    this.#readValue = value;
    this.#users = new Index(SERVER_KINDS, value);
  }

  /** The first server with the value of this one, if it is a different server. */
  findEarlier(server: Resource, inventory: Inventory): Resource | undefined {
    if (!SERVER_KINDS.includes(server.kind)) return undefined;
    const value = this.#readValue(server, inventory);
    const first = value === undefined ? undefined : inventory.listBy(this.#users, value)[0];
    return first === server ? undefined : first;
  }
}
