/** A response and a sink that discard everything, for measuring the work of a call without HTTP. */
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';

export const CALLS_OF_A_ROUND = 100_000;

export const ANSWER: Buffer = Buffer.from(
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}',
);

/** A response that discards what is written, at no cost. */
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
