/**
 * Servers that are programs on this machine and speak MCP over their standard streams: what `lintel-bridge` starts, and how that is
 * described.
 */
import type { SecretSource } from './secret-source.ts';

/** A program, and what it may take. Nothing of it is a secret: those are named by reference. */
export interface StdioPlan {
  /** A name on PATH, or a path. */
  readonly command: string;
  /** `$(NAME)` stands for a variable of `env`, as in a container; `$$(NAME)` for itself. */
  readonly args: readonly string[];
  /** Relative to the folder in which the bridge runs; null for that folder. */
  readonly workingDir: string | null;
  /** Variables of the program, in the order of the spec. */
  readonly env: readonly StdioVariable[];
  /** Names of variables of the bridge that the program gets as well, besides the few that every program gets; sorted. */
  readonly inheritEnv: readonly string[];
  /** One process for all sessions, else one for each. */
  readonly isShared: boolean;
  /** Processes at the same time, where each session has one; at least 1. */
  readonly maxProcesses: number;
  /** From its start to its answer to `initialize`; milliseconds. */
  readonly startTimeoutMs: number;
  /** For one request, from the last message of the program about it; milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a session without a request and without a stream is kept; milliseconds. */
  readonly idleTimeoutMs: number;
  /** Resident memory of the program and all that it started; bytes. */
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
  /** By `<namespace>/<name>`. */
  readonly servers: { readonly [key: string]: StdioPlan };
}

/** Where a bridge serves a server, below its own URL. */
export function bridgePath(namespace: string, name: string): string {
  return `/${namespace}/${name}/mcp`;
}

/** Carries the token of a bridge; `Authorization` may be what a client's request brings along. */
export const BRIDGE_TOKEN_HEADER = 'lintel-bridge-token';

/** Environment variable with the token that a bridge demands, and that a runtime shows. */
export const BRIDGE_TOKEN_VARIABLE = 'LINTEL_BRIDGE_TOKEN';
