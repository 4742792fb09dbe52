/** The known facts about one pod of a gateway or registry server. */
export interface PodReport {
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
  /** The digest in the pod's template (`lintel.dev/bundle-digest`). */
  readonly templateDigest: string | null;
  /** The digest that it serves according to `/status`; null without a response. */
  readonly digest: string | null;
  /** Why it refuses a bundle: from `/status`, or the termination message of a container. */
  readonly refused: string | null;
  /** Why it is not ready or did not answer, as text for people; null when healthy. */
  readonly problem: string | null;
  /** Whether only a person can fix the problem: an image that cannot be pulled, a container that keeps ending. */
  readonly isStuck: boolean;
  /** Its requests fail because a backend is unavailable and `partialFailureMode` is `fail`; false without a response. */
  readonly failsRequests: boolean;
  /** Empty for registry servers and without a response. */
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
  /** Null when its circuit breaker is off, and for runtimes without one. */
  readonly circuitBreakerState: 'closed' | 'open' | 'half-open' | null;
  readonly circuitLastChanged: string | null;
}
