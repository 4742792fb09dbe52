/** The timeouts of steps that wait for each other must, added up, fit into the workflow's timeout. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const workflow = (timeout: string, steps: string) =>
  object('VirtualMCPCompositeToolDefinition', `{ name: w, ${timeout}steps: [${steps}] }`);

test.each<[string, string[], string[]]>([
  [
    'paths that fit into the timeout, parallel steps, and steps without timeouts',
    [
      workflow('timeout: 2m, ', '{ id: a, timeout: 1m }, { id: b, timeout: 1m, dependsOn: [a] }'),
      workflow('timeout: 1m, ', '{ id: a, timeout: 1m }, { id: b, timeout: 1m }'),
      workflow('timeout: 1s, ', '{ id: a }, { id: b, dependsOn: [a] }'),
    ],
    [],
  ],
  [
    'a longest path above the timeout of the workflow',
    [
      workflow(
        'timeout: 1m, ',
        '{ id: a, timeout: 10s }, { id: b, timeout: 30s }, { id: c, dependsOn: [a, b] }, { id: d, timeout: 31s, dependsOn: [c] }',
      ),
    ],
    [
      'LNT7027 warning 4:27 steps that wait for each other may take 61s, and the workflow ends after 1m: "b" 30s, then "d" 31s',
    ],
  ],
  [
    'a workflow without a timeout, which has 30 minutes',
    [workflow('', '{ id: a, timeout: 20m }, { id: b, timeout: 11m, dependsOn: [a] }')],
    [
      'LNT7027 warning 4:18 steps that wait for each other may take 1860s, and the workflow ends after 30m: "a" 20m, then "b" 11m',
    ],
  ],
  [
    'a single step, cycles and missing steps, which other rules report',
    [
      workflow('timeout: 1m, ', '{ id: a, timeout: 2m }, { id: b, dependsOn: [a] }'),
      workflow('timeout: 1h, ', '{ id: a, timeout: 1m, dependsOn: [b] }, { id: b, timeout: 1m, dependsOn: [a, z] }'),
    ],
    [],
  ],
])('the rule timeoutsAddUp gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('timeoutsAddUp', ...objects)).toEqual(expected);
});
