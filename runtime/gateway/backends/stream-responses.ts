/**
 * How a backend answers the GET of its standing stream, as all sessions with it have seen. Servers ask and notify on that stream
 * only once it is open, and drop what they had to send before: so requests wait for the answer where there is one to wait for.
 */

/**
 * Requests wait so long for the answer to the GET, in milliseconds. Some servers send the headers of a stream with its first event,
 * which may never come.
 */
const WAIT_MS = 1_000;

export class StreamResponses {
  /** How long a request waits for the answer, in milliseconds; 0 where the backend has no stream, or has not answered in time. */
  get waitMs(): number {
    return this.#isPrompt ? WAIT_MS : 0;
  }

  #isPrompt = true;

  /** @param tookMs how long the answer took; milliseconds */
  opened(tookMs: number): void {
    this.#isPrompt = tookMs < WAIT_MS;
  }

  /** The backend has no such stream, or its response is no longer awaited. */
  notOpened(): void {
    this.#isPrompt = false;
  }
}
