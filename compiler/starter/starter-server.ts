/** A remote server as the specs of a new gateway name it. */
export interface StarterServer {
  /** Of its object, unique among the servers. */
  readonly name: string;
  /** Without credentials: it is written as it is. */
  readonly url: string;
  readonly transport: 'sse' | 'streamable-http';
  /** Headers whose values are no secrets. */
  readonly plainHeaders: Readonly<Record<string, string>>;
  /** Names of headers whose values are secrets: only references to them are written. */
  readonly secretHeaders: readonly string[];
  /** The only tools that are shown; undefined for all. */
  readonly tools: readonly string[] | undefined;
}
