import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type CallerDecisions, Decisions } from '../../../runtime/auth/authorization/decisions.ts';

test('over the ceiling the callers that were remembered first make room', () => {
  const decisions = new Decisions(4);
  const callers = [0, 1, 2].map((): CallerDecisions => new Map());
  const [first, second, third] = callers as [CallerDecisions, CallerDecisions, CallerDecisions];
  for (const about of ['a', 'b']) for (const caller of [first, second]) decisions.remember(caller, about, true);
  expect(decisions.size).toBe(4);
  decisions.remember(third, 'a', false);
  expect([first.size, second.size, third.size, decisions.size]).toEqual([0, 2, 1, 3]);
});

test('one caller alone stays below the ceiling as well', () => {
  const decisions = new Decisions(10);
  const caller: CallerDecisions = new Map();
  for (let index = 0; index < 1_000; index++) {
    decisions.remember(caller, `tool ${index}`, true);
    expect(caller.size).toBe(decisions.size);
    expect(decisions.size).toBeLessThanOrEqual(10);
  }
});

test('a remembered name does not keep the message that it came in', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const decisions = new Decisions();
  const caller: CallerDecisions = new Map();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 50; index++) {
    const message = Buffer.alloc(1024 * 1024, `memo://a_name_of_a_resource_${index} `).toString();
    decisions.remember(caller, `read_resource ${message.slice(0, 40)}${index}`, true);
  }
  collectGarbage();
  expect(caller.size).toBe(50);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 1024 * 1024);
});

test('names that differ in half of a surrogate pair only stay apart', () => {
  const caller: CallerDecisions = new Map();
  new Decisions().remember(caller, 'tool \ud800', false);
  expect([...caller.keys()]).toEqual(['tool \ud800']);
});
