/** A running gateway or registry server, as the program that started it sees it. */
export interface RunningRuntime {
  readonly kind: 'gateway' | 'registry';
  /** `namespace/name`. */
  readonly name: string;
  /** The URL with the bound port: the MCP endpoint of a gateway, the root of a registry server. */
  readonly url: string;
  /** URL of the internal address. */
  readonly internalUrl: string;
  readonly digest: string;
  /** The URL at which each registry of a registry server lists its servers; empty for a gateway. */
  readonly registries: { readonly [registry: string]: string };
  /** Resolves with the reason if the runtime can no longer serve. Undefined for a runtime in one process, which fails only with the process. */
  readonly failed?: Promise<string>;
  /**
   * Drains: running requests may finish, streams end, then everything closes.
   *
   * @param leaveMs how long connections without a request stay open; milliseconds. Default one second.
   */
  stop(leaveMs?: number): Promise<void>;
}
