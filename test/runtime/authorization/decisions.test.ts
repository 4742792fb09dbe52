import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { CedarPrincipal } from '#shared/plan';
import { type CallerDecisions, Decisions } from '../../../runtime/auth/authorization/decisions.ts';

const principal = (id: string, claims: CedarPrincipal['attrs'] = {}): CedarPrincipal => ({
  uid: { type: 'Client', id },
  attrs: claims,
  groups: [],
});

test('the cache of decisions at its limit drops all decisions about the caller who was cached first', () => {
  const decisions = new Decisions(4);
  const callers = ['0', '1', '2'].map(id => decisions.get(principal(id)));
  const [first, second, third] = callers as [CallerDecisions, CallerDecisions, CallerDecisions];
  for (const about of ['a', 'b']) for (const caller of [first, second]) decisions.remember(caller, about, true);
  expect(decisions.size).toBe(4);
  decisions.remember(third, 'a', false);
  expect([first, second, third].map(({ known }) => known.size)).toEqual([0, 2, 1]);
  expect([first.isForgotten, second.isForgotten, decisions.size]).toEqual([true, false, 3]);
});

test('the cache of decisions keeps to its limit even when all decisions are about a single caller', () => {
  const decisions = new Decisions(10);
  for (let index = 0; index < 1_000; index++) {
    const caller = decisions.get(principal('joe'));
    decisions.remember(caller, `tool ${index}`, true);
    expect(caller.known.size).toBe(decisions.size);
    expect(decisions.size).toBeLessThanOrEqual(10);
  }
});

test('the cache of decisions at its limit of callers also drops a caller about whom it has no decisions', () => {
  const decisions = new Decisions(100, 3);
  const [first] = ['0', '1', '2', '3'].map(id => decisions.get(principal(id)));
  expect(first?.isForgotten).toBe(true);
  expect(decisions.get(principal('3')).isForgotten).toBe(false);
});

test('the cache of decisions stores no decision under an entry it dropped, and makes a new entry for the next request of that caller', () => {
  const decisions = new Decisions(100, 1);
  const before = decisions.get(principal('joe'));
  decisions.get(principal('ann'));
  decisions.remember(before, 'tool a', true);
  expect([before.known.size, decisions.size]).toEqual([0, 0]);
  expect(decisions.get(principal('joe'))).not.toBe(before);
});

test('two callers share cached decisions only if policies cannot distinguish the callers', () => {
  const decisions = new Decisions();
  const joe = decisions.get(principal('joe', { claim_team: 'a' }));
  expect(decisions.get(principal('joe', { claim_team: 'a' }))).toBe(joe);
  expect(decisions.get(principal('joe', { claim_team: 'b' }))).not.toBe(joe);
  expect(decisions.get(principal('ann', { claim_team: 'a' }))).not.toBe(joe);
  expect(decisions.get({ ...principal('joe', { claim_team: 'a' }), groups: [{ type: 'Group', id: 'a' }] })).not.toBe(
    joe,
  );
});

test('the cache of decisions stores a tool name without the message from which the name was cut', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const decisions = new Decisions();
  const caller: CallerDecisions = decisions.get(principal('joe'));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 50; index++) {
    const message = Buffer.alloc(1024 * 1024, `memo://a_name_of_a_resource_${index} `).toString();
    decisions.remember(caller, `read_resource ${message.slice(0, 40)}${index}`, true);
  }
  collectGarbage();
  expect(caller.known.size).toBe(50);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 1024 * 1024);
});

test('the cache of decisions distinguishes tool names that differ only in half of a surrogate pair', () => {
  const decisions = new Decisions();
  const caller = decisions.get(principal('joe'));
  decisions.remember(caller, 'tool \ud800', false);
  expect([...caller.known.keys()]).toEqual(['tool \ud800']);
});
