import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);

test.each<[string, string[], string[]]>([
  [
    'steps of every type',
    [
      steps(`
    - { id: a, tool: github.search_code, arguments: { q: x } }
    - { id: b, type: elicitation, message: m, schema: { type: object }, onDecline: { action: abort } }
    - { id: c, type: forEach, collection: '[1]', itemVar: one, maxParallel: 50, step: { id: d, tool: x.y } }`),
    ],
    [],
  ],
  [
    'a tool step without a tool',
    [
      steps(`
    - { id: a }
    - { id: b, tool: '' }`),
    ],
    ['LNT1010 error 7:7 step "a" names no tool', 'LNT1010 error 8:22 step "b" names no tool'],
  ],
  [
    'invalid tool names',
    [
      steps(`
    - { id: a, tool: github/search }
    - { id: b, tool: .search }
    - { id: c, tool: 'git hub.x' }`),
    ],
    [
      'LNT7013 error 7:22 step "a": the tool must be letters, digits, dots, hyphens and underscores, such as github.search',
      'LNT7013 error 8:22 step "b": the tool must be letters, digits, dots, hyphens and underscores, such as github.search',
      'LNT7013 error 9:22 step "c": the tool must be letters, digits, dots, hyphens and underscores, such as github.search',
    ],
  ],
  [
    'a step with tool and message',
    [
      steps(`
    - { id: a, tool: x.y, message: sure? }`),
    ],
    ['LNT7012 error 7:7 step "a" has both tool and message, so its type must be written'],
  ],
  [
    'a typed step with tool and message',
    [
      steps(`
    - { id: a, type: tool, tool: x.y, message: sure? }
    - { id: b, type: elicitation, message: m, schema: {}, arguments: {} }`),
    ],
    [
      'LNT1008 warning 7:39 message has no effect: step "a" is of type tool, not elicitation',
      'LNT1008 warning 8:59 arguments has no effect: step "b" is of type elicitation, not tool',
    ],
  ],
  [
    'an empty elicitation',
    [
      steps(`
    - { id: a, type: elicitation }`),
    ],
    [
      'LNT1010 error 7:7 elicitation step "a" has no message to show',
      'LNT1010 error 7:7 elicitation step "a" has no schema for the answer',
    ],
  ],
  [
    'an empty forEach',
    [
      steps(`
    - { id: a, type: forEach }`),
    ],
    [
      'LNT1010 error 7:7 forEach step "a" has no collection',
      'LNT1010 error 7:7 forEach step "a" has no step to repeat',
    ],
  ],
  [
    'a forEach with tool and message',
    [
      steps(`
    - { id: a, type: forEach, tool: x.y, message: m, collection: '[]', step: { id: b, tool: x.y } }`),
    ],
    [
      'LNT1021 error 7:31 forEach step "a" cannot have tool: write the repeated call under step',
      'LNT1021 error 7:42 forEach step "a" cannot have message: write the repeated call under step',
    ],
  ],
  [
    'valid and reserved item variables',
    [
      steps(`
    - { id: a, type: forEach, collection: '[]', itemVar: index, step: { id: b, tool: x.y } }
    - { id: c, type: forEach, collection: '[]', itemVar: 1st, step: { id: d, tool: x.y } }`),
    ],
    [
      'LNT7014 error 7:58 itemVar cannot be "index": .forEach.index is the number of the item',
      'LNT7014 error 8:58 itemVar must be a name that templates can use: letters, digits and underscores, no digit first',
    ],
  ],
  [
    'the inner step of a forEach',
    [
      steps(`
    - { id: a, type: forEach, collection: '[]', step: { id: '', tool: x/y, condition: 'true', timeout: 5s } }`),
    ],
    [
      'LNT7013 error 7:71 the step repeated by "a": the tool must be letters, digits, dots, hyphens and underscores, such as github.search',
      'LNT1010 error 7:61 the id of the step is empty',
      'LNT1008 warning 7:76 condition has no effect in a step inside of forEach: put it on step "a"',
      'LNT1008 warning 7:95 timeout has no effect in a step inside of forEach: put it on step "a"',
    ],
  ],
  [
    'a workflow in a gateway',
    [gatewayConfig('{ compositeTools: [{ name: w, steps: [{ id: a }] }] }')],
    ['LNT1010 error 7:49 step "a" names no tool'],
  ],
])('the rule compositeSteps gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeSteps', ...objects)).toEqual(expected);
});
