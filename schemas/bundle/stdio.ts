/** Servers that are local programs and speak MCP over standard input and output: what `lintel-bridge` starts, and with which settings. */
import type { SecretSource } from './secret-source.ts';

/** A program and its limits. It contains no secrets: they are references. */
export interface StdioPlan {
  /** The program to start: its name on PATH, or its path. */
  readonly command: string;
  /** `$(NAME)` is replaced by a variable of `env`, as in a container; `$$(NAME)` is a literal `$(NAME)`. */
  readonly args: readonly string[];
  /** Relative to the working directory of the bridge; null for that directory. */
  readonly workingDir: string | null;
  /** Environment variables of the program, in the order of the spec. */
  readonly env: readonly StdioVariable[];
  /** Names of the bridge's variables that the program inherits, besides the few that every program inherits; sorted. */
  readonly inheritEnv: readonly string[];
  /** Whether one process serves all sessions; otherwise each session has its own. */
  readonly isShared: boolean;
  /** Maximum number of processes at the same time, when each session has one; at least 1. */
  readonly maxProcesses: number;
  /** Time limit from the start of the program to its response to `initialize`; milliseconds. */
  readonly startTimeoutMs: number;
  /** Time limit for one request, restarted by each message of the program about it; milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a session without a request or open stream is kept; milliseconds. */
  readonly idleTimeoutMs: number;
  /** Resident memory of the program and its child processes; bytes. */
  readonly maxMemoryBytes: number;
}

export interface StdioVariable {
  readonly name: string;
  readonly value:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'secret'; readonly from: SecretSource };
}

/** All servers of one bridge. */
export interface BridgeConfig {
  /** Plans of servers, by `<namespace>/<name>`. */
  readonly servers: { readonly [key: string]: StdioPlan };
}

/** Path at which a bridge serves a server, below its own URL. */
export function formatBridgePath(namespace: string, name: string): string {
  return `/${namespace}/${name}/mcp`;
}

/** The header for the token of a bridge. `Authorization` stays free for the header of a client's request. */
export const BRIDGE_TOKEN_HEADER = 'lintel-bridge-token';

/** Environment variable with the token that a bridge demands and a runtime sends. */
export const BRIDGE_TOKEN_VARIABLE = 'LINTEL_BRIDGE_TOKEN';
