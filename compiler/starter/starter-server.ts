/** A server as the specs of a new gateway name it. */
export type StarterServer = StarterRemote | StarterProgram;

/** A program that a bridge runs on this machine. */
export interface StarterProgram {
  /** The name of its object, unique among the servers. */
  readonly name: string;
  readonly command: string;
  /** `$(NAME)` stands for a variable. */
  readonly args: readonly string[];
  readonly workingDir: string | undefined;
  /** Variables whose values are no secrets. */
  readonly plainVariables: Readonly<Record<string, string>>;
  /** Names of variables whose values are secrets: only references to them are written. */
  readonly secretVariables: readonly string[];
  /** Names of variables that it gets from the shell in which Lintel runs. */
  readonly inherited?: readonly string[];
  /** The only tools that are shown; undefined for all. */
  readonly tools: readonly string[] | undefined;
}

export function isProgram(server: StarterServer): server is StarterProgram {
  return 'command' in server;
}

/** A server that is reached over HTTP. */
export interface StarterRemote {
  /** The name of its object, unique among the servers. */
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
