import { expect, test } from 'vitest';
import { judge } from '../../support/rule.ts';

const group = (annotation: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata:
  name: eng
  annotations: { lintel.dev/escape-hatches: '${annotation}' }
spec:
  description: Tools
`;

test.each([
  ['[]', []],
  ['["/spec/description"]', ['LNT1040 hint 7:16 /spec/description is set without a construct of lintel/cdk8s']],
  ['["/spec/gone/0"]', ['LNT1040 hint 6:1 /spec/gone/0 is set without a construct of lintel/cdk8s']],
  ['["spec"]', ['LNT1040 hint 5:45 lintel.dev/escape-hatches is not a JSON list of pointers']],
  ['/spec', ['LNT1040 hint 5:45 lintel.dev/escape-hatches is not a JSON list of pointers']],
])('the rule escapeHatch gives the expected findings for the annotation %s', (annotation, expected) => {
  expect(judge('escapeHatch', group(annotation))).toEqual(expected);
});
