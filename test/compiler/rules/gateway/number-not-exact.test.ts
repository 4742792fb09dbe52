import { expect, test } from 'vitest';
import { entries, judge } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const when = (condition: string) => `permit(principal, action, resource) when { ${condition} };`;
const claim = (value: string) => when(`context has claim_n && context.claim_n == ${value}`);
const beyond = (number: string) =>
  `policy0: ${number} is beyond 9007199254740991, up to which a gateway holds whole numbers exactly: no claim equals it, and a call with such an argument is denied`;

test.each([
  ['the largest exact integer', claim('9007199254740991'), []],
  [
    'the largest exact integer plus one',
    claim('9007199254740992'),
    [`LNT5019 warning 14:97 ${beyond('9007199254740992')}`],
  ],
  [
    'a negative integer beyond the exact integers',
    claim('-9007199254740993'),
    [`LNT5019 warning 14:98 ${beyond('9007199254740993')}`],
  ],
  ['a large integer in a text', claim('"9007199254740993"').replaceAll('\\', ''), []],
  ['digits in a claim name', when('context has claim_x9007199254740993'), []],
])('the rule numberNotExact gives the expected findings for: %s', (_, policy, expected) => {
  expect(judge('numberNotExact', [gatewayWithPolicies([policy]), entries('git')])).toEqual(expected);
});
