import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);

test.each<[string, string[], string[]]>([
  [
    'a chain and a diamond',
    [
      steps(`
    - { id: a }
    - { id: b, dependsOn: [a] }
    - { id: c, dependsOn: [a] }
    - { id: d, dependsOn: [b, c] }`),
    ],
    [],
  ],
  [
    'two steps of one id',
    [
      steps(`
    - { id: a }
    - { id: b }
    - { id: a }`),
    ],
    ['LNT7001 error 9:13 step "a" is defined twice'],
  ],
  [
    'an empty id',
    [
      steps(`
    - { id: '' }`),
    ],
    ['LNT1010 error 7:13 the id of the step is empty'],
  ],
  [
    'a dependency on a missing step',
    [
      steps(`
    - { id: fetch }
    - { id: store, dependsOn: [fetsh] }
    - { id: notify, dependsOn: [nowhere] }`),
    ],
    [
      'LNT7002 error 8:32 step "store" depends on "fetsh", which is not a step of this workflow',
      'LNT7002 error 9:33 step "notify" depends on "nowhere", which is not a step of this workflow',
    ],
  ],
  [
    'a step that depends on itself',
    [
      steps(`
    - { id: a, dependsOn: [a] }`),
    ],
    ['LNT7003 error 7:28 step "a" depends on itself'],
  ],
  [
    'two cycles of steps',
    [
      steps(`
    - { id: a, dependsOn: [c] }
    - { id: b, dependsOn: [a] }
    - { id: c, dependsOn: [b] }
    - { id: d, dependsOn: [e, a] }
    - { id: e, dependsOn: [d] }`),
    ],
    [
      'LNT7003 error 8:28 steps wait for each other, so none of them starts: "a" waits for "c" waits for "b" waits for "a"',
      'LNT7003 error 11:28 steps wait for each other, so none of them starts: "d" waits for "e" waits for "d"',
    ],
  ],
  [
    'a cycle of 100 steps',
    [
      steps(
        Array.from({ length: 99 }, (_, n) => `\n    - { id: s${n}, dependsOn: [s${n + 1}] }`).join('') +
          '\n    - { id: s99 }',
      ),
    ],
    [],
  ],
])('the rule compositeGraph gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeGraph', ...objects)).toEqual(expected);
});
