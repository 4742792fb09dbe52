/** What a file of another program says, before it is decided what becomes of it. */

/** A header that the file gives a server. The value is looked at, and never written. */
export interface FoundHeader {
  readonly name: string;
  /** A text, maybe with references such as `${TOKEN}`. */
  readonly value: string;
}

/** A server that is reached over HTTP. */
export interface FoundRemote {
  readonly url: string;
  /** Undefined where the file leaves it to the client to find out. */
  readonly transport: 'sse' | 'streamable-http' | undefined;
  readonly headers: readonly FoundHeader[];
  /** The only tools that are shown; undefined for all. */
  readonly tools: readonly string[] | undefined;
}

/** A server that the client starts as a program. Values are looked at, and written only where they are no secrets. */
export interface FoundProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** Names of variables that it gets from the shell of the client; none where the file does not say. */
  readonly inherited?: readonly string[];
  readonly workingDir: string | undefined;
  /** The only tools that are shown; undefined for all. */
  readonly tools: readonly string[] | undefined;
}

export type Outcome =
  | { readonly type: 'remote'; readonly remote: FoundRemote }
  | { readonly type: 'program'; readonly program: FoundProgram }
  /** It is switched off, so nothing is lost. */
  | { readonly type: 'off'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string };

export interface FoundServer {
  /** As the file calls it. */
  readonly name: string;
  /** Where in the file, such as `mcpServers.github`. */
  readonly place: string;
  readonly outcome: Outcome;
  /** What gateways do not have, and why that matters. */
  readonly lost: readonly LostPart[];
  /** Names of settings that concern the client alone. */
  readonly ofClient: readonly string[];
}

export interface LostPart {
  /** A member of the server or of the file. */
  readonly part: string;
  readonly reason: string;
}

/** An object that is carried over as a whole. */
export interface FoundObject {
  /** Kind and name. */
  readonly place: string;
  /** As it is written: without secrets. */
  readonly value: object;
  /** What is other than in the file, a sentence each. */
  readonly changes: readonly string[];
  readonly secrets: readonly FoundSecret[];
}

/** A value of the file that is written nowhere. */
export interface FoundSecret {
  /** A variable, or a Secret and its key. */
  readonly name: string;
  readonly recipe: string;
  /** What the variable is for; undefined for a Secret. */
  readonly variable?: { readonly part: string; readonly server: string };
}

/** One file, as far as it was understood. */
export interface FoundServers {
  /** What it is, such as `Codex`. */
  readonly form: string;
  /** Whether it is of an MCP client: then it says nothing about who may call. */
  readonly isOfClient?: true;
  readonly servers: readonly FoundServer[];
  /** What belongs to no server. */
  readonly lost: readonly LostPart[];
  readonly objects?: readonly FoundObject[];
  /** The group of a gateway among the objects, whose members are servers of other files. */
  readonly group?: string;
}
