/** An answer and what takes it, for what is done for a call in a process of its own. */
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';

export const CALLS_OF_A_ROUND = 100_000;

export const ANSWER: Buffer = Buffer.from(
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}',
);

/** An answer whose writing costs nothing. */
export const NOWHERE: ClientResponder = {
  aborted: false,
  addEventListener: () => {},
  removeEventListener: () => {},
  onAbort: () => {},
  result: () => {},
  error: () => {},
  fail: () => {},
  message: () => true,
  hold: () => {},
  cancel: () => {},
  start: () => {},
  data: () => true,
  onDrain: () => {},
  end: () => {},
};
