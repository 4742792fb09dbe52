import { expect, test } from 'vitest';
import { expectations } from '../../../../compiler/rules/gateway/expectations.ts';
import { entries, judge, keyOf } from '../../../support/gateway-rule.ts';

const gateway = (annotation: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata:
  name: eng
  annotations: { lintel.dev/expectations: '${annotation}' }
spec:
  groupRef: { name: tools }
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: mcp }
    authzConfig:
      type: inline
      inline: { policies: ['permit(principal in Group::"eng", action, resource == Tool::"github_search");'] }
  config:
    compositeTools: [{ name: clean, description: Cleans, steps: [{ id: a, tool: github.delete_repo }] }]
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: https://auth.example.com } }
`;

const OFFERS = { [keyOf('github')]: { tools: ['search', 'delete_repo'] } };
const ENG = '"caller":{"groups":["eng"]}';

test.each<[annotation: string, findings: readonly RegExp[]]>([
  [`[{"caller":"anonymous","reaches":0},{${ENG},"canCall":["github_search"],"reaches":1}]`, []],
  [`[{${ENG},"cannotReach":["github_delete_repo","pg_drop_table"]}]`, []],
  [`[{${ENG},"reaches":0}]`, [/^LNT5013 error .* must reach 0 tools, and reaches 1: github_search$/]],
  [`[{${ENG},"cannotReach":["github_search"]}]`, [/LNT5013 error .* must not reach "github_search", and may call it$/]],
  [`[{${ENG},"cannotReach":["github_serch"]}]`, [/LNT5013 error .* which there is not; it reaches "github_search"$/]],
  [`[{${ENG},"canCall":["clean"]}]`, [/LNT5013 error .* must be able to call "clean", and may not$/]],
  [`[{${ENG},"canCall":["github_serch"]}]`, [/LNT5013 error .*; did you mean "github_search"\?$/]],
  [
    `[{"caller":"anonymous","canCall":["github_search"]}]`,
    [/LNT5013 error .* a caller without a token .* is not let in: /],
  ],
  ['{}', [/^LNT5014 error .* expectations: not a list$/]],
  ['[{"caller":"anonymous"}]', [/^LNT5014 error .* \/0: expects nothing$/]],
  ['[{"caller":"nobody","reaches":0}]', [/^LNT5014 error .* \/0\/caller: /]],
  ['[{"caller":{"exp":1},"reaches":0}]', [/^LNT5014 error .* \/0\/caller\/exp: exp would make it depend on the day$/]],
  ['[{"caller":"anonymous","reaches":-1}]', [/^LNT5014 error /]],
  ['[{"caller":"anonymous","reach":0}]', [/^LNT5014 error .* unknown member "reach"/]],
])('%s', (annotation, findings) => {
  const found = judge(expectations, [entries('github'), gateway(annotation)], OFFERS);
  expect(found).toEqual(findings.map(finding => expect.stringMatching(finding)));
});

test.each<[annotation: string, findings: readonly RegExp[]]>([
  [`[{${ENG},"reaches":0}]`, [/^LNT5015 warning .* must reach 0 tools: that is not known/]],
  [`[{${ENG},"cannotReach":["github_delete_repo"]}]`, [/^LNT5015 warning /]],
  [`[{${ENG},"canCall":["github_search"]}]`, []],
])('without a lock: %s', (annotation, findings) => {
  const found = judge(expectations, [entries('github'), gateway(annotation)]);
  expect(found).toEqual(findings.map(finding => expect.stringMatching(finding)));
});
