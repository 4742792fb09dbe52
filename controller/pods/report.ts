/** The known facts about one pod of a gateway or registry server. */
export interface PodReport {
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
  /** The digest in the pod's template (`lintel.dev/bundle-digest`). */
  readonly templateDigest: string | null;
  /** The digest that the pod serves according to its `/status`; null when it did not answer. */
  readonly digest: string | null;
  /** Why the pod refuses a bundle: from `/status`, or from the termination message of a container. */
  readonly refused: string | null;
  /** Why the pod is not ready or did not answer, as text for people; null when it is healthy. */
  readonly problem: string | null;
  /** Whether only a person can fix the problem: an image that cannot be pulled, a container that keeps ending. */
  readonly isStuck: boolean;
  /** Whether the pod's requests fail because a backend is unavailable and `partialFailureMode` is `fail`; false when it did not answer. */
  readonly failsRequests: boolean;
  /** The pod's backends; empty for registry servers, and when the pod did not answer. */
  readonly backends: readonly PodBackend[];
}

/** A backend in the runtime's `/status`. */
export interface PodBackend {
  readonly name: string;
  readonly status: 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';
  readonly message: string;
  readonly lastHealthCheck: string | null;
  readonly consecutiveFailures: number;
  readonly mcpRevision: string | null;
  /** The state of the backend's circuit breaker; null when the breaker is off, and for runtimes that have none. */
  readonly circuitBreakerState: 'closed' | 'open' | 'half-open' | null;
  readonly circuitLastChanged: string | null;
}
