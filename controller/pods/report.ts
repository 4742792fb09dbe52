/** What is known about one pod of a gateway or registry server. */
export interface PodReport {
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
  /** The digest in the pod template that the pod was made from (`lintel.dev/bundle-digest`). */
  readonly templateDigest: string | null;
  /** What it says it serves at `/status`; null when it could not be asked. */
  readonly digest: string | null;
  /** Why it refuses a bundle: from `/status`, or the last words of a container that ended. */
  readonly refused: string | null;
  /** Why it is not ready, or could not be asked, in words for people; null while all is well. */
  readonly problem: string | null;
  /** Whether the problem goes away only when a person changes something: an image that cannot be pulled, a container that keeps ending. */
  readonly isStuck: boolean;
  /** Its requests fail, since a backend is unavailable and `partialFailureMode` is `fail`; false when it could not be asked. */
  readonly failsRequests: boolean;
  /** Empty for registry servers and when it could not be asked. */
  readonly backends: readonly PodBackend[];
}

/** As in the runtime's `/status`. */
export interface PodBackend {
  readonly name: string;
  readonly status: 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';
  readonly message: string;
  readonly lastHealthCheck: string | null;
  readonly consecutiveFailures: number;
  readonly mcpRevision: string | null;
  /** Null when its circuit breaker is off, and of runtimes that have none. */
  readonly circuitBreakerState: 'closed' | 'open' | 'half-open' | null;
  readonly circuitLastChanged: string | null;
}
