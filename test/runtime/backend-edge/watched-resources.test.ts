import { describe, expect, test } from 'vitest';
import { createConnectionLost } from '../../../runtime/gateway/backends/failure.ts';
import { ResourceSubscriptions } from '../../../runtime/gateway/backends/resource-subscriptions.ts';
import type { ResponseSink } from '../../../runtime/mcp/response-sink.ts';

const URI = 'x://a';
const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';
const ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}';

/** A sink that records every call. */
function recording(): ResponseSink & { readonly got: unknown[] } {
  const got: unknown[] = [];
  return {
    got,
    message: ({ text }) => void got.push(`message ${text}`),
    start: (length, status) => void got.push(`start ${length} ${status}`),
    data: chunk => got.push(`data ${Buffer.from(chunk)}`) > 2,
    onDrain: resume => void got.push(resume),
    end: () => void got.push('end'),
    fail: error => void got.push(error),
  };
}

/** A list of watched resources, and its attempts to subscribe, whose outcome the test sets. */
function watching() {
  const watched = new ResourceSubscriptions<string>();
  const ask = (known = 'a') => {
    const sink = watched.ask(URI, known, recording());
    const answer = (text: string) => {
      sink.start(text.length);
      sink.data(Buffer.from(text));
      sink.end();
    };
    return {
      take: () => answer(RESULT),
      refuse: () => answer(ERROR),
      lose: () => sink.fail(createConnectionLost('a')),
    };
  };
  return { watched, ask };
}

describe('a subscription', () => {
  test('the list of subscriptions contains a subscription as soon as the client requests it', () => {
    const { watched, ask } = watching();
    const { take } = ask();
    expect([...watched]).toEqual([[URI, 'a']]);
    take();
    expect([...watched]).toEqual([[URI, 'a']]);
  });

  test('the list of subscriptions does not contain a subscription that the backend refused', () => {
    const { watched, ask } = watching();
    ask().refuse();
    expect(watched.size).toBe(0);
    ask().take();
    expect(watched.size).toBe(1);
  });

  test('the list of subscriptions keeps a subscription when the connection is lost before the response', () => {
    const { watched, ask } = watching();
    ask().lose();
    expect(watched.size).toBe(1);
    ask().refuse();
    expect(watched.size).toBe(0);
  });

  test('the list of subscriptions keeps a subscription that the backend accepted once and then refused at a second request', () => {
    const { watched, ask } = watching();
    ask().take();
    ask().refuse();
    expect(watched.get(URI)).toBe('a');
  });

  test('when a client requests a subscription twice, the response to the second request decides whether the list contains it', () => {
    const { watched, ask } = watching();
    const [first, second] = [ask(), ask()];
    first.refuse();
    expect(watched.size).toBe(1);
    second.take();
    expect(watched.size).toBe(1);
    const [third, fourth] = [ask('b'), ask('b')];
    fourth.refuse();
    expect(watched.size).toBe(0);
    third.take();
    expect(watched.size).toBe(0);
  });

  test('a late response to a subscription that has ended does not change the list of subscriptions', () => {
    const { watched, ask } = watching();
    const before = ask();
    watched.delete(URI);
    before.take();
    expect(watched.size).toBe(0);
    const early = ask();
    watched.clear();
    const late = ask();
    early.refuse();
    expect(watched.size).toBe(1);
    late.take();
    expect(watched.size).toBe(1);
  });

  test('when the session of a subscription was replaced, a refusal in the former session does not remove the subscription', () => {
    const { watched, ask } = watching();
    const { refuse } = ask();
    watched.set(URI, 'b');
    refuse();
    expect(watched.get(URI)).toBe('b');
  });
});

describe('the response to a subscription', () => {
  test('the gateway forwards the response to a subscription as it arrives', () => {
    const sink = recording();
    const watched = new ResourceSubscriptions<string>();
    const passed = watched.ask(URI, 'a', sink);
    const resume = () => {};
    passed.start(undefined, 422);
    expect([ERROR.slice(0, 30), ERROR.slice(30)].map(text => passed.data(Buffer.from(text)))).toEqual([false, true]);
    passed.onDrain(resume);
    expect(watched.size).toBe(1);
    passed.end();
    expect(watched.size).toBe(0);
    expect(sink.got).toEqual([
      'start undefined 422',
      `data ${ERROR.slice(0, 30)}`,
      `data ${ERROR.slice(30)}`,
      resume,
      'end',
    ]);
  });

  test.each([
    ['not JSON', 'nothing'],
    ['a member named error within the result', '{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1}}}'],
    [
      'an error that is too long to be read',
      `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"${'x'.repeat(70_000)}"}}`,
    ],
  ])(
    'the list keeps a subscription when the backend answers its request with a response that is no readable error: %s',
    (_, text) => {
      const watched = new ResourceSubscriptions<string>();
      const sink = watched.ask(URI, 'a', recording());
      sink.start(undefined);
      sink.data(Buffer.from(text));
      sink.end();
      expect(watched.size).toBe(1);
    },
  );

  test('a backend can ask the client a question during resources/subscribe only if the client accepts questions', () => {
    const watched = new ResourceSubscriptions<string>();
    expect(watched.ask(URI, 'a', recording()).request).toBeUndefined();
    const asked: string[] = [];
    const sink = watched.ask(URI, 'b', { ...recording(), request: (...question) => void asked.push(question.join()) });
    sink.request?.('{}', '1', 'roots/list');
    expect(asked).toEqual(['{},1,roots/list']);
  });
});
