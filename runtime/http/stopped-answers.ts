/** Answers requests that still run when the time to drain is over. Without such an answer, a client could not know what became of its request. */
import type { ServerResponse } from 'node:http';

const STOPPED: unique symbol = Symbol('stopped');

interface StoppableAnswer extends ServerResponse {
  [STOPPED]?: () => void;
}

/** Sets the function that writes the answer when the server is about to close the connection. */
export function setStoppedAnswer(res: StoppableAnswer, answer: () => void): void {
  res[STOPPED] = answer;
}

/** Writes the answer of {@link setStoppedAnswer}, if there is one. */
export function answerStopped(res: StoppableAnswer): void {
  res[STOPPED]?.();
}
