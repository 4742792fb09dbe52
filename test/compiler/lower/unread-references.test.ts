/** The credential of an MCPServerEntry in cases in which the gateway does not use it. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { gateway, object } from '../../support/rule.ts';

const HEADER = object(
  'MCPExternalAuthConfig',
  '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: all } } }',
  'key',
);
const workload = (kind: string, fields: string) =>
  object(kind, `{ groupRef: { name: tools }, ${fields}, externalAuthConfigRef: { name: key } }`, 'wiki');
const ENTRY = workload('MCPServerEntry', 'remoteUrl: "https://wiki.example.com", transport: sse');
const SERVER = workload('MCPServer', 'image: registry.example.com/wiki:1, transport: sse');
const asking = (outgoing: string, name?: string) => gateway(`incomingAuth: { type: anonymous }\n  ${outgoing}`, name);

const INLINE =
  'outgoingAuth: { source: inline, backends: { wiki: { type: externalAuthConfigRef, externalAuthConfigRef: { name: key } } } }';
const STRATEGIES = 'config: { outgoingAuth: { source: inline, default: { type: unauthenticated } } }';

function ignored(...objects: string[]): string[] {
  const text = [object('MCPGroup', '{}', 'tools'), HEADER, ...objects].join('---\n');
  const { findings } = compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  expect(findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return findings.diagnostics
    .filter(({ code }) => code === 'LNT1008')
    .map(({ object: of, pointer, message }) => `${of?.kind} ${pointer} ${message}`);
}

const UNREAD = (name: string) =>
  `MCPServerEntry /spec/externalAuthConfigRef spec.externalAuthConfigRef has no effect: outgoingAuth of VirtualMCPServer "${name}" decides otherwise`;

test.each<[string, string[], string[]]>([
  ['with source discovered', [asking('outgoingAuth: { source: discovered }'), ENTRY], []],
  ['without outgoingAuth', [asking(''), ENTRY], []],
  ['with source inline and a reference in spec', [asking(INLINE), ENTRY], [UNREAD('it')]],
  ['with source inline and a strategy in spec.config', [asking(STRATEGIES), ENTRY], [UNREAD('it')]],
  ['with source inline and an MCPServer, which other clients contact as well', [asking(INLINE), SERVER], []],
  [
    'with two gateways that each ignore the reference',
    [asking(INLINE, 'a'), asking(STRATEGIES, 'b'), ENTRY],
    [UNREAD('a'), UNREAD('b')],
  ],
  [
    'with source inline and a discovered entry',
    [asking('outgoingAuth: { source: inline, backends: { wiki: { type: discovered } } }'), ENTRY],
    [],
  ],
])("the compiler reports a workload's externalAuthConfigRef that a gateway ignores: %s", (_, objects, expected) => {
  expect(ignored(...objects)).toEqual(expected);
});
