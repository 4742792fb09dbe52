/** A server for the specs of a new gateway. */
export type StarterServer = StarterRemote | StarterProgram;

/** A stdio server that a bridge runs on this machine. */
export interface StarterProgram {
  /** The name of its object, unique among the servers. */
  readonly name: string;
  readonly command: string;
  /** `$(NAME)` refers to a variable. */
  readonly args: readonly string[];
  readonly workingDir: string | undefined;
  /** Variables whose values are not secret. */
  readonly plainVariables: Readonly<Record<string, string>>;
  /** Names of variables with secret values: only references to them are written. */
  readonly secretVariables: readonly string[];
  /** Variables inherited from the shell in which Lintel runs. */
  readonly inherited?: readonly string[];
  /** The only visible tools; undefined for all. */
  readonly tools: readonly string[] | undefined;
}

export function isProgram(server: StarterServer): server is StarterProgram {
  return 'command' in server;
}

/** A server that is reached over HTTP. */
export interface StarterRemote {
  /** The name of its object, unique among the servers. */
  readonly name: string;
  /** Without credentials, because it is written into the spec. */
  readonly url: string;
  readonly transport: 'sse' | 'streamable-http';
  /** Headers whose values are not secret. */
  readonly plainHeaders: Readonly<Record<string, string>>;
  /** Names of headers with secret values: only references to them are written. */
  readonly secretHeaders: readonly string[];
  /** The only visible tools; undefined for all. */
  readonly tools: readonly string[] | undefined;
}
