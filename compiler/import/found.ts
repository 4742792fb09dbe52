/** The content of another program's file, before it is decided how to convert it. */

/** A header of a server. The value is examined and never written. */
export interface FoundHeader {
  readonly name: string;
  /** A text that may contain references such as `${TOKEN}`. */
  readonly value: string;
}

/** A server that is reached over HTTP. */
export interface FoundRemote {
  readonly url: string;
  /** Undefined when the client detects the transport. */
  readonly transport: 'sse' | 'streamable-http' | undefined;
  readonly headers: readonly FoundHeader[];
  /** The only visible tools; undefined for all tools. */
  readonly tools: readonly string[] | undefined;
}

/** A server that the client starts as a program. Values are examined, and written only if they are not secret. */
export interface FoundProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The index in `args` of the first argument that the file itself has; negative if the file has further arguments before. Default 0. */
  readonly firstArgument?: number;
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** Variables that it inherits from the client's shell; none when the file does not say. */
  readonly inherited?: readonly string[];
  readonly workingDir: string | undefined;
  /** The only visible tools; undefined for all tools. */
  readonly tools: readonly string[] | undefined;
}

export type ImportOutcome =
  | { readonly type: 'remote'; readonly remote: FoundRemote }
  | { readonly type: 'program'; readonly program: FoundProgram }
  /** The server is disabled, so nothing is lost without it. */
  | { readonly type: 'off'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string };

export interface FoundServer {
  /** The name in the file. */
  readonly name: string;
  /** The path in the file, such as `mcpServers.github`. */
  readonly place: string;
  readonly outcome: ImportOutcome;
  /** Settings without an equivalent in gateways, and why they matter. */
  readonly lost: readonly LostPart[];
  /** Names of settings that only concern the client. */
  readonly ofClient: readonly string[];
}

export interface LostPart {
  /** A member of the server or of the file. */
  readonly part: string;
  readonly reason: string;
}

/** An object that is converted as a whole. */
export interface FoundObject {
  /** Kind and name. */
  readonly place: string;
  /** The object as written, without secrets. */
  readonly value: object;
  /** The changes, one sentence each. */
  readonly changes: readonly string[];
  readonly secrets: readonly FoundSecret[];
}

/** A value of the file that is written nowhere. */
export interface FoundSecret {
  /** The name of a variable, or of a Secret and its key. */
  readonly name: string;
  readonly recipe: string;
  /** The purpose of the variable; undefined for a Secret. */
  readonly variable?: { readonly part: string; readonly server: string };
}

/** One file, as far as it could be parsed. */
export interface FoundServers {
  /** The program, such as `Codex`. */
  readonly form: string;
  /** Whether it belongs to an MCP client: such a file has no settings about callers. */
  readonly isOfClient?: true;
  readonly servers: readonly FoundServer[];
  /** Settings that belong to no server. */
  readonly lost: readonly LostPart[];
  readonly objects?: readonly FoundObject[];
  /** The group of a gateway among the objects; servers of other files become its members. */
  readonly group?: string;
}
