import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { DEFAULT_LINT_OPTIONS, parseProfile } from '../../../compiler/lint/index.ts';
import { findings, gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

test.each<[string, string, string[]]>([
  [
    'a token in an argument, a variable and the value of a flag',
    object(
      'MCPServer',
      `
  groupRef: { name: tools }
  command: npx
  args: [-y, --token=${TOKEN}, xoxb-123456789012-abcdefghijkl]
  env:
    - { name: LOG_LEVEL, value: AKIA0123456789ABCDEF }`,
    ),
    [
      'LNT6024 warning 7:14 argument 2 holds a token of GitHub in the clear',
      'LNT6024 warning 7:64 argument 3 holds a token of Slack in the clear',
      'LNT6024 warning 9:15 the variable "LOG_LEVEL" holds an access key of AWS in the clear',
    ],
  ],
  [
    'a token in a header and in a URL',
    object(
      'MCPServerEntry',
      `{ remoteUrl: "https://a.example.com/${TOKEN}/mcp", transport: sse, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { X-Team: sk-ant-api03-0123456789abcdef } } }`,
    ),
    [
      'LNT6024 warning 4:9 remoteUrl holds a token of GitHub in the clear',
      'LNT6024 warning 4:173 the header "X-Team" holds a key of Anthropic in the clear',
    ],
  ],
  [
    'a token in a pod template',
    gateway(`incomingAuth: { type: anonymous }
  podTemplateSpec: { spec: { containers: [{ name: vmcp, command: [sh, -c, "curl -u ${TOKEN}: https://a"] }] } }`),
    ['LNT6024 warning 7:75 argument 3 holds a token of GitHub in the clear'],
  ],
  [
    'a token in a workflow step',
    gatewayConfig(
      `{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: b, arguments: { auth: "token ${TOKEN}" } }] }] }`,
    ),
    ['LNT6024 warning 7:99 auth holds a token of GitHub in the clear'],
  ],
  [
    'a value whose name suggests a secret, and a reference',
    object(
      'MCPServer',
      '{ groupRef: { name: tools }, command: npx, args: [--token, sesame-open-4711, $(GITHUB_TOKEN), ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxx] }',
    ),
    [],
  ],
])('the rule knownCredentials gives the expected findings for: %s', (_, text, expected) => {
  expect(judge('knownCredentials', text)).toEqual(expected);
});

test('the fix of LNT6024 first says to revoke the credential that the spec contains', () => {
  const spec = `{ groupRef: { name: tools }, image: "a:1", transport: sse, env: [{ name: GITHUB_TOKEN, value: ${TOKEN} }] }`;
  expect(findings('knownCredentials', object('MCPServer', spec)).map(({ fix }) => fix)).toEqual([
    'revoke it, because the history of a repository keeps it, and keep the new credential in a Secret, and name it under secrets with this name as targetEnvName',
  ]);
});

/** The findings of the whole compiler about a server with a token in its arguments. */
function compiled(argument: string, profile: string, purpose: 'check' | 'build' = 'check') {
  const parsed = parseProfile(profile);
  if ('problem' in parsed) throw new Error(parsed.problem);
  const text = `${object('MCPGroup', '{}', 'tools')}---\n${gateway('incomingAuth: { type: anonymous }', 'eng')}---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: issues }
spec:
  groupRef: { name: tools }
  command: issues
  args:
    - --token
    ${argument}
`;
  return compile(readTexts([new SourceText('specs.yaml', text)]), {
    purpose,
    origin: { compilerVersion: 'test', sourceRevision: null },
    project: { ...DEFAULT_LINT_OPTIONS, profile: parsed.profile },
  });
}

test.each(['minimal@2026.1', 'recommended@2026.1', 'strict@2026.1'])(
  'LNT6024, about a credential in a spec, is an error in the profile %s',
  profile => {
    const { findings } = compiled(`- ${TOKEN}`, profile);
    expect(findings.all.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(['LNT6024']);
  },
);

test('lintel build writes a bundle despite LNT6024, and a lintel-ignore comment suppresses LNT6024 in lintel check and lintel build', () => {
  const { gateways, findings } = compiled(`- ${TOKEN}`, 'recommended@2026.1', 'build');
  expect(findings.counts.error).toBe(1);
  expect(gateways.map(({ bundle }) => bundle === null)).toEqual([false]);
  for (const purpose of ['check', 'build'] as const) {
    const suppressed = compiled(`- ${TOKEN} # lintel-ignore LNT6024: opens nothing`, 'recommended@2026.1', purpose);
    expect(suppressed.findings.counts.error).toBe(0);
    expect(suppressed.findings.suppressed.map(({ finding }) => finding.code)).toEqual(['LNT6024']);
  }
});

test('the compiler reports a credential in an object by LNT6024 even if the object also has a misspelt field', () => {
  const { findings } = compiled(`- ${TOKEN}\n  tranport: stdio`, 'recommended@2026.1');
  expect(findings.all.map(({ code }) => code)).toEqual(expect.arrayContaining(['LNT1003', 'LNT6024']));
});
