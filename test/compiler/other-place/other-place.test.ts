/**
 * A field that wrong indentation has put into the wrong object: the finding names the object to which it belongs, because removing the field
 * would lose its effect.
 */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

const gateway = (spec: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
${spec}`;

const AUTHZ = `{ type: inline, inline: { policies: ['permit(principal, action, resource);'] } }`;

function helpOf(text: string, field: string): string | undefined {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const { findings } = compile(readTexts([new SourceText('eng.yaml', text)]), { purpose: 'check', origin });
  const [found] = findings.all.filter(
    ({ code, message }) => code === 'LNT1003' && message.startsWith(`unknown field "${field}"`),
  );
  return found === undefined ? 'nothing was found' : (found.fix ?? found.help);
}

test.each([
  [
    'one level too high',
    gateway(`  incomingAuth: { type: oidc, oidcConfigRef: { name: idp } }\n  authzConfig: ${AUTHZ}\n`),
    'authzConfig',
    'Move it into spec.incomingAuth, which has a field of this name',
  ],
  [
    'one level too deep',
    gateway('  incomingAuth: { type: anonymous, groupRef: { name: others } }\n'),
    'groupRef',
    'Move it into spec, which has a field of this name',
  ],
  [
    'of spec under spec.config',
    gateway(`  config:\n    incomingAuth: { type: local, authzConfig: ${AUTHZ} }\n`),
    'authzConfig',
    'Write the policies in authz: { type: cedar, policies: […] }',
  ],
  [
    'of spec under spec.config, one level deeper',
    gateway(
      `  config:\n    incomingAuth: { type: local, authz: { type: cedar, inline: { policies: ['permit(principal, action, resource);'] } } }\n`,
    ),
    'inline',
    'Write the policies in authz itself: { type: cedar, policies: […] }',
  ],
  [
    'of spec.config under spec',
    gateway('  incomingAuth: { type: anonymous, authz: { type: cedar, policies: [] } }\n'),
    'authz',
    'Write the policies in authzConfig: { type: inline, inline: { policies: […] } }',
  ],
  [
    'of a provider in spec.config that belongs to spec',
    gateway('  config:\n    incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }\n'),
    'oidcConfigRef',
    'Write the provider in oidc: { issuer: …, audience: …, clientId: … }',
  ],
  [
    'that is misspelt, with the similar name at the same place first',
    gateway('  incomingAuth: { type: anonymous }\n  replicsa: 2\n'),
    'replicsa',
    'did you mean "replicas"?',
  ],
  [
    'that no object near has',
    gateway('  incomingAuth: { type: anonymous }\n  colour: red\n'),
    'colour',
    'Correct the spelling or remove the field',
  ],
] as const)('lintel check suggests where to move, or how to spell, a field %s', (_, text, field, help) => {
  expect(helpOf(text, field)).toBe(help);
});

test.each([
  [
    'spec.incomingAuth',
    gateway('  incomingAuth: { type: local }\n'),
    'Write config.incomingAuth: { type: local } and leave spec.incomingAuth out',
  ],
  ['config.incomingAuth', gateway('  config: { incomingAuth: { type: locl } }\n'), 'did you mean "local"?'],
])(
  'the finding about a wrong incoming authentication type in %s says how to write the type local',
  (_, text, remedy) => {
    const origin = { compilerVersion: 'test', sourceRevision: null };
    const { findings } = compile(readTexts([new SourceText('eng.yaml', text)]), { purpose: 'check', origin });
    const found = findings.all.filter(({ code }) => code === 'LNT1011');
    expect(found.map(({ fix, help }) => fix ?? help)).toEqual([expect.stringContaining(remedy)]);
  },
);

test.each([
  ['a long form', 'enviroment', 'Did you mean "env"?'],
  ['a short form', 'work', 'Did you mean "workingDir"?'],
  ['an ambiguous beginning', 'pro', 'Correct the spelling or remove the field'],
  ['a beginning of two letters', 'pr', 'Correct the spelling or remove the field'],
])('for a misspelt field that is %s of a field name, %s, lintel check suggests: %s', (_, field, help) => {
  const server = `apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: notes }
spec: { groupRef: { name: tools }, command: npx, ${field}: [] }
`;
  expect(helpOf(server, field)).toBe(help);
});
