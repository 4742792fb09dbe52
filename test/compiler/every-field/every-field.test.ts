/** "Accepted but ignored" must be impossible: each field changes the bundle, or a finding names it. */

import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import { API_GROUP, KINDS_FILE, STORAGE_VERSION } from '#schemas';
import { obeyingRules } from '../../support/obey-rules.ts';
import { leavesOf, type Path, sampleOf, withLeaf, withoutLeaf } from '../../support/sample.ts';

const KIND = 'VirtualMCPServer';
const schema = KINDS_FILE[KIND]?.spec ?? {};

const object = (kind: string, spec: unknown, name = 'sample') => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

/** Where the required fields alone make no object that passes the rules. */
const MEANINGFUL: { readonly [kind: string]: object } = {
  MCPOIDCConfig: { type: 'inline', inline: { issuer: 'https://sample.example.com' } },
  MCPRegistry: {
    configYAML: stringify({
      sources: [{ name: 'sample', file: { path: '/srv/sample.json' } }],
      registries: [{ name: 'sample', sources: ['sample'] }],
      auth: { mode: 'anonymous' },
    }),
  },
  VirtualMCPCompositeToolDefinition: {
    name: 'sample',
    description: 'sample',
    steps: [{ id: 'sample', tool: 'sample' }],
  },
};

/** One valid object of every other kind, all named `sample`, so that every reference leads somewhere. */
const others = Object.values(KINDS_FILE)
  .filter(({ kind }) => kind !== KIND)
  .map(({ kind, spec }) => object(kind, MEANINGFUL[kind] ?? sampleOf(spec)))
  .filter(({ kind }) => kind !== 'MCPServer' && kind !== 'MCPRemoteProxy');

/** With a backend written out, so that the choice of the source shows. */
const smallest = {
  groupRef: { name: 'sample' },
  incomingAuth: { type: 'anonymous' },
  config: { backends: [{ name: 'static', url: 'http://static.test/mcp', transport: 'sse' }] },
};

const TOKEN_URL = 'https://id.test/token';
const ROLE = 'arn:aws:iam::123456789012:role/sample';

/** One strategy of each type that passes the rules, by its block. */
const STRATEGIES: { readonly [block: string]: readonly [type: string, block: object] } = {
  headerInjection: ['header_injection', { headerName: 'X-Key', headerValueEnv: 'KEY' }],
  tokenExchange: ['token_exchange', { tokenUrl: TOKEN_URL }],
  upstreamInject: ['upstream_inject', { providerName: 'sample' }],
  awsSts: ['aws_sts', { region: 'us-west-1', roleMappings: [{ roleArn: ROLE, claim: 'a' }] }],
  obo: ['obo', { tokenUrl: TOKEN_URL }],
  xaa: ['xaa', { idpTokenUrl: TOKEN_URL, targetTokenUrl: TOKEN_URL, targetAudience: 'a' }],
};

/** With an upstream, whose tokens strategies may use; the runtime cannot serve it yet, and lowering does not mind. */
const SIGN_IN = {
  incomingAuth: {
    type: 'oidc',
    oidcConfigRef: { name: 'sample', audience: 'https://mcp.test', resourceUrl: 'https://mcp.test' },
  },
  authServerConfig: {
    issuer: 'https://sample.example.com',
    upstreamProviders: [
      { name: 'sample', type: 'oidc', oidcConfig: { issuerUrl: 'https://id.test', clientId: 'sample' } },
    ],
  },
};

/** The smallest spec in which a field can have an effect. */
function baseFor([config, auth, ...path]: Path): object {
  if (config !== 'config' || auth !== 'outgoingAuth' || path[0] === 'source') return smallest;
  const field = String(path[path[0] === 'default' ? 1 : 2]);
  const block = field === 'type' ? 'xaa' : field;
  const [type, settings] = STRATEGIES[block] ?? [];
  const strategy = { type, [block]: settings };
  const where = path[0] === 'default' ? { default: strategy } : { backends: { sample: strategy } };
  return { groupRef: smallest.groupRef, ...SIGN_IN, config: { outgoingAuth: { source: 'discovered', ...where } } };
}

/** Fields whose sample rightly changes nothing. */
const REPEATED: { readonly [field: string]: string } = {
  ...Object.fromEntries(
    ['default', 'backends.sample'].flatMap(where => [
      [`config.outgoingAuth.${where}.xaa.insecureTargetTokenUrl`, 'it permits plain http, and the URL is https'],
      [`config.outgoingAuth.${where}.xaa.subjectTokenType`, 'there is only one type'],
      [`config.outgoingAuth.${where}.awsSts.roleMappings.0.priority`, 'it is about the order of several'],
    ]),
  ),
  'config.groupRef': 'it may only repeat spec.groupRef.name; any other value is LNT1008',
};

function compileSpec(spec: unknown): Compilation {
  const valid = obeyingRules(schema, spec);
  const text = [...others, object(KIND, valid, 'gateway')].map(document => stringify(document)).join('---\n');
  return compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'check',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
}

/** With the plans of backends, for gateways that the runtime cannot serve yet. */
const bundleOf = ({ gateways: [gateway] }: Compilation) =>
  JSON.stringify([gateway?.bundle, gateway?.backends?.().map(({ plan }) => plan)]);

function findingsAbout({ findings }: Compilation, path: Path): string[] {
  const pointer = `/spec/${path.join('/')}`;
  return findings.diagnostics
    .filter(({ object }) => object?.kind === KIND)
    .filter(
      found =>
        found.pointer === pointer || pointer.startsWith(`${found.pointer}/`) || found.pointer.startsWith(`${pointer}/`),
    )
    .filter(found => found.pointer.split('/').length > 2)
    .map(({ code, message }) => `${code} ${message}`);
}

/** Is every element on the way out required? Then the whole chain must be taken away to see a difference. */
function removable(spec: unknown, path: Path): unknown[] {
  return path.map((_, index) => withoutLeaf(spec, path.slice(0, path.length - index)));
}

const leaves = leavesOf(schema);

describe('every field of VirtualMCPServer', () => {
  test('the list of fields is the whole schema', () => {
    expect(leaves.length).toBeGreaterThan(300);
    expect(compileSpec(smallest).findings.counts.error).toBe(0);
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))('%s', (_, path) => {
    const spec = withLeaf(schema, baseFor(path), path);
    const compiled = compileSpec(spec);
    // A rule is about several fields, so it says nothing about this one.
    expect(compiled.findings.diagnostics.filter(({ code }) => code === 'LNT1005')).toEqual([]);
    if (REPEATED[path.join('.')] !== undefined) return;
    const about = findingsAbout(compiled, path);
    if (about.length > 0) return;
    expect(compiled.findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const without = removable(spec, path).map(other => bundleOf(compileSpec(other)));
    expect(
      without.some(other => other !== bundleOf(compiled)),
      'changes the bundle or is named by a finding',
    ).toBe(true);
  });
});
