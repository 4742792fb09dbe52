/** With the source `inline`, a gateway in a program uses the credentials to which members of its group refer; a gateway in YAML does not. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readTexts, SourceText } from '#compiler';
import { compileMeaning, roundTrip } from './round-trip.ts';

const object = (kind: string, name: string, spec: object) =>
  stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name }, spec });
const value = { headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'value' } };

function specs(isKeyed: boolean, backends: object): string {
  const entry = {
    groupRef: { name: 'tools' },
    remoteUrl: 'https://docs.example.com/mcp',
    transport: 'streamable-http',
  };
  const own = isKeyed ? { externalAuthConfigRef: { name: 'key' } } : {};
  return [
    object('MCPGroup', 'tools', {}),
    object('MCPExternalAuthConfig', 'key', { type: 'headerInjection', headerInjection: value }),
    object('MCPServerEntry', 'docs', { ...entry, ...own }),
    object('VirtualMCPServer', 'gateway', {
      groupRef: { name: 'tools' },
      incomingAuth: { type: 'anonymous' },
      outgoingAuth: { source: 'inline', ...backends },
      config: {
        aggregation: { conflictResolution: 'prefix', defaultToolVisibility: 'deny' },
        backends: [{ name: 'notes', url: 'https://notes.example.com/mcp', transport: 'streamable-http' }],
      },
    }),
  ].join('---\n');
}

const DISCOVERED = { backends: { docs: { type: 'discovered' } } };

test.each<[what: string, isKeyed: boolean, backends: object, isSaid: boolean]>([
  ['a member without a credential', false, {}, true],
  ['a member whose credential the gateway asks for', true, DISCOVERED, true],
  ['a member whose credential is discovered by default', true, { default: { type: 'discovered' } }, true],
  ['a member whose credential the gateway ignores', true, {}, false],
])(
  'an exported program gives backends the same credentials as the specs, by a Gateway construct if it can express them: %s',
  (_, isKeyed, backends, isSaid) => {
    const sources = readTexts([new SourceText('input/spec.yaml', specs(isKeyed, backends))]);
    const { program, before, after } = roundTrip(sources, 'sample');
    expect(program.includes('new Gateway(')).toBe(isSaid);
    expect(compileMeaning(after)).toEqual(compileMeaning(before));
  },
);
