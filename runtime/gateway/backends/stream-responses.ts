/**
 * How a backend answers the GET of its standing stream, according to all sessions with it. Servers send requests and notifications on that
 * stream only once it is open, and drop earlier ones: requests therefore wait for the answer to the GET if the backend gives one.
 */

/**
 * How long requests wait for the answer to the GET, in milliseconds. Some servers send the headers of a stream with its first event, which may
 * never occur.
 */
const WAIT_MS = 1_000;

export class StreamResponses {
  /** How long a request waits for the answer, in milliseconds; 0 when the backend has no stream or did not answer in time. */
  get waitMs(): number {
    return this.#isPrompt ? WAIT_MS : 0;
  }

  #isPrompt = true;

  /** @param tookMs how long the answer took; milliseconds */
  opened(tookMs: number): void {
    this.#isPrompt = tookMs < WAIT_MS;
  }

  /** Records that the backend has no such stream, or that the gateway no longer waits for its answer. */
  notOpened(): void {
    this.#isPrompt = false;
  }
}
