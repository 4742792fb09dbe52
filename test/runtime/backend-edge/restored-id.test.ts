/** The id of a response is replaced wherever the chunks are split. */
import { expect, test } from 'vitest';
import { RestoredId } from '../../../runtime/gateway/backends/stateless/restored-id.ts';
import { RecordingSink } from './harness.ts';

const SENT = '"lintel-0"';
const ANSWER = Buffer.from(`{"result":{"text":"ü \\"lintel-0\\" \\n"},"id":${SENT},"jsonrpc":"2.0"}`);

test.each([1, 2, 3, 5, 8, 13, 40, 1_000])(
  "the gateway restores the id of the client's request in a response with chunks of %i bytes",
  size => {
    const sink = new RecordingSink();
    const restored = new RestoredId(sink, '7');
    restored.start(ANSWER.length);
    for (let at = 0; at < ANSWER.length; at += size) restored.data(ANSWER.subarray(at, at + size));
    restored.end();
    expect(sink.text).toBe('{"result":{"text":"ü \\"lintel-0\\" \\n"},"id":7,"jsonrpc":"2.0"}');
    expect([sink.length, sink.ended]).toEqual([undefined, true]);
  },
);

test("the gateway restores the id of the client's request in any spelling, and changes no other text", () => {
  const sink = new RecordingSink();
  const restored = new RestoredId(sink, '7');
  restored.start(undefined);
  restored.data(Buffer.from('{"\\u0069d":"lintel\\u002d0","result":{"of":"lintel-0"}}'));
  restored.end();
  expect(JSON.parse(sink.text)).toEqual({ id: 7, result: { of: 'lintel-0' } });
});
