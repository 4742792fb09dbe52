/** An error in one part of a gateway, or in another object, hides as few other findings as possible, and causes no wrong finding. */
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { compile, type Diagnostic, readTexts, SourceText } from '#compiler';
import { exampleSources, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { EXAMPLE_CATALOG } from '../../support/example-catalog.ts';
import {
  comparedWithout,
  createCatalog,
  entries,
  formatBackendKey,
  type Offers,
  object,
} from '../../support/gateway-rule.ts';
import { OFFERS as SAMPLE, SPECS } from '../exposure/sample.ts';

const OFFERS: Offers = {
  [formatBackendKey('git')]: { tools: ['search', { name: 'push', annotations: { destructiveHint: true } }] },
  [formatBackendKey('wiki')]: { tools: ['search', 'read'] },
};
const BOTH = entries('git', 'wiki');
const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://login.example.com" } }', 'corp');
const SIGN_IN = 'type: oidc, oidcConfigRef: { name: corp, audience: mcp }';
const POLICY = `authzConfig: { type: inline, inline: { policies: ['permit(principal, action, resource == Tool::"git_serch");'] } }`;
const UNKNOWN_TOOL = 'LNT5003 /spec/incomingAuth/authzConfig/inline/policies/0';
const PLAIN = `incomingAuth: { ${SIGN_IN}, ${POLICY} }`;
const gateway = (...fields: readonly string[]) =>
  object('VirtualMCPServer', `{ groupRef: { name: tools }, ${fields.join(', ')} }`, 'eng');

const ORIGIN = { compilerVersion: 'test', sourceRevision: null };

function found(objects: readonly string[], offers: Offers | undefined = OFFERS): readonly Diagnostic[] {
  const catalog = offers && createCatalog(offers);
  const sources = readTexts([new SourceText('spec.yaml', objects.join('---\n'))]);
  return compile(sources, { purpose: 'check', origin: ORIGIN, catalog }).findings.diagnostics;
}

/** Errors and warnings as `LNT5003 /spec/…`. */
function lines(objects: readonly string[], offers?: Offers): string[] {
  return found(objects, offers)
    .filter(({ severity }) => severity !== 'hint')
    .map(({ code, pointer }) => `${code} ${pointer}`)
    .sort();
}

test('a gateway without errors gives LNT5003 for a policy about an unknown tool', () => {
  expect(lines([gateway(PLAIN), BOTH, CORP])).toEqual([UNKNOWN_TOOL]);
});

describe('a structural error', () => {
  test.each<[title: string, fields: readonly string[], expected: readonly string[]]>([
    ['in replicas leaves findings about policies', [PLAIN, 'replicas: many'], ['LNT1004 /spec/replicas', UNKNOWN_TOOL]],
    [
      'in a misspelt pod field leaves findings about policies',
      [PLAIN, 'replicsa: 2'],
      ['LNT1003 /spec/replicsa', UNKNOWN_TOOL],
    ],
    [
      'in timeouts leaves findings about policies',
      [PLAIN, 'config: { operational: { timeouts: { default: 7 } } }'],
      ['LNT1004 /spec/config/operational/timeouts/default', UNKNOWN_TOOL],
    ],
    [
      'in audit settings leaves findings about policies and tool settings',
      [PLAIN, 'config: { audit: { enabled: maybe }, aggregation: { tools: [{ workload: wikki, filter: [read] }] } }'],
      // Which tools there are depends on what was meant, so policies wait.
      ['LNT1004 /spec/config/audit/enabled', 'LNT3012 /spec/config/aggregation/tools/0/workload'],
    ],
    [
      'in incoming authentication leaves findings about names',
      [
        `incomingAuth: { type: oidcc, ${POLICY} }`,
        'config: { aggregation: { tools: [{ workload: wiki, filter: [raed] }] } }',
      ],
      ['LNT1011 /spec/incomingAuth/type', 'LNT3007 /spec/config/aggregation/tools/0/filter/0'],
    ],
    [
      'in conflict resolution hides findings about names and policies',
      [PLAIN, 'config: { aggregation: { conflictResolution: prefics } }'],
      ['LNT1011 /spec/config/aggregation/conflictResolution'],
    ],
    ['in groupRef hides all findings about backends', ['groupRef: 7', PLAIN], ['LNT1002 /spec/groupRef']],
    [
      'in an unknown field that may be any field hides findings about policies',
      [PLAIN, 'zzzzzzzzzzzzz: 2'],
      ['LNT1003 /spec/zzzzzzzzzzzzz'],
    ],
  ])('a structural error of a gateway %s', (_title, fields, expected) => {
    expect(lines([gateway(...fields), BOTH, CORP])).toEqual([...expected].sort());
  });
});

describe('an invalid reference', () => {
  test.each<[title: string, fields: readonly string[], expected: readonly string[]]>([
    [
      'in outgoing credentials leaves findings about policies',
      [PLAIN, 'outgoingAuth: { backends: { wikki: { type: discovered } } }'],
      ['LNT3012 /spec/outgoingAuth/backends/wikki', UNKNOWN_TOOL],
    ],
    [
      'in a timeout leaves findings about policies',
      [PLAIN, 'config: { operational: { timeouts: { perWorkload: { wikki: 3s } } } }'],
      ['LNT3012 /spec/config/operational/timeouts/perWorkload/wikki', UNKNOWN_TOOL],
    ],
    [
      'in tool settings hides findings about policies',
      [PLAIN, 'config: { aggregation: { tools: [{ workload: wikki, filter: [read] }] } }'],
      ['LNT3012 /spec/config/aggregation/tools/0/workload'],
    ],
  ])('an invalid reference of a gateway %s', (_title, fields, expected) => {
    expect(lines([gateway(...fields), BOTH, CORP])).toEqual([...expected].sort());
  });
});

describe('an error of another object', () => {
  const broken = (name: string) =>
    object(
      'MCPServerEntry',
      `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com/mcp", transport: carrier-pigeon }`,
      name,
    );
  const mended = (name: string) => broken(name).replace('carrier-pigeon', 'sse');
  const SOME = entries('git');

  test.each<[title: string, policy: string, config: string]>([
    ['a policy about its tool', 'resource == Tool::"wiki_read"', '{}'],
    ['a policy about an unknown tool', 'resource == Tool::"git_serch"', '{}'],
    ['a tool setting for the backend', 'resource', '{ aggregation: { tools: [{ workload: wiki, filter: [read] }] } }'],
    [
      'a name that its tool may win by priority',
      'resource == Tool::"search"',
      '{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [wiki, git] } } }',
    ],
    [
      'a workflow step that calls its tool',
      'resource',
      '{ compositeTools: [{ name: both, description: d, steps: [{ id: one, tool: wiki.read }, { id: two, tool: git.serch }] }] }',
    ],
    [
      'a pattern that only its tools match',
      'resource) when { resource.name like "wiki_*" }; permit(principal, action, resource',
      '{}',
    ],
  ])(
    'an error of a backend causes no further finding about the gateway that offers the backend: %s',
    (_, policy, config) => {
      const auth = `incomingAuth: { ${SIGN_IN}, authzConfig: { type: inline, inline: { policies: ${JSON.stringify([`permit(principal, action, ${policy});`])} } } }`;
      const around = [gateway(auth, `config: ${config}`), SOME, CORP];
      const known = new Set(lines([...around, mended('wiki')]));
      const now = lines([...around, broken('wiki')]);
      expect(now.filter(line => !known.has(line))).toEqual(['LNT1011 /spec/transport']);
    },
  );

  const documents = parseAllDocuments(SPECS).map(document => document.toJS());
  const titleOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind} ${metadata.name}`;
  const about = (changed: readonly unknown[], title: string) =>
    found(
      changed.map(document => stringify(document)),
      SAMPLE,
    )
      .filter(({ object }) => object !== undefined && `${object.kind} ${object.name}` !== title)
      .map(({ code, object, pointer, message }) => `${code} ${object?.kind} ${object?.name} ${pointer} ${message}`);

  test.each(documents.map(document => [titleOf(document), document]))(
    'an error of %s causes no further finding about another object',
    (title, document) => {
      const broken = { ...document, spec: { ...document.spec, zzzzzzzz: 1 } };
      const known = new Set(about(documents, title));
      const now = about(
        documents.map(one => (one === document ? broken : one)),
        title,
      );
      expect(now.filter(line => !known.has(line))).toEqual([]);
    },
  );

  test('an error of a backend hides no findings about gateways of other groups or namespaces', () => {
    const other = object('MCPGroup', '{}', 'others');
    const member = object(
      'MCPServerEntry',
      '{ groupRef: { name: others }, remoteUrl: "https://x.example.com/mcp", transport: sse }',
      'git',
    );
    const sound = gateway(PLAIN).replace('name: tools }', 'name: others }');
    expect(lines([sound, other, member, CORP, broken('wiki'), object('MCPGroup', '{}', 'tools')])).toEqual([
      'LNT1011 /spec/transport',
      UNKNOWN_TOOL,
    ]);
  });
});

describe('declared inputs of rules', () => {
  const AREAS = {
    'sign-in': [
      ['spec', 'incomingAuth'],
      ['spec', 'authServerConfig'],
      ['spec', 'config', 'incomingAuth'],
    ],
    credentials: [
      ...[['outgoingAuth', 'default'], ['outgoingAuth', 'backends'], ['passthroughHeaders']].flatMap(path => [
        ['spec', ...path],
        ['spec', 'config', ...path],
      ]),
    ],
    operation: [
      ...['sessionStorage', 'telemetryConfigRef'].map(field => ['spec', field]),
      ...['audit', 'operational', 'rateLimiting', 'sessionStorage', 'telemetry'].map(field => [
        'spec',
        'config',
        field,
      ]),
    ],
    pods: [
      ...['replicas', 'serviceType', 'sessionAffinity', 'serviceAccount', 'podTemplateSpec', 'imagePullSecrets'].map(
        field => ['spec', field],
      ),
    ],
  };
  const examples = SPEC_EXAMPLES.filter(({ text }) => text.includes('VirtualMCPServer'));
  const models = examples.flatMap(({ code, text }) => {
    const options = { purpose: 'language', origin: ORIGIN, catalog: EXAMPLE_CATALOG, target: 'pods' } as const;
    return compile(readTexts(exampleSources(text)), options).gateways.flatMap(({ model }) => {
      const made = model();
      return made === null ? [] : [[code, made] as const];
    });
  });

  test.each(Object.entries(AREAS))(
    'a rule that declares not to need the %s settings of a gateway gives the same findings with and without these settings',
    (_, paths) => {
      let count = 0;
      for (const [code, model] of models) {
        for (const { rule, whole, part } of comparedWithout(model, paths)) {
          count += whole.length;
          expect(
            part.map(({ code, pointer, message }) => [code, pointer, message]),
            `${rule} in an example of ${code}`,
          ).toEqual(whole.map(({ code, pointer, message }) => [code, pointer, message]));
        }
      }
      expect(count).toBeGreaterThan(20);
    },
  );
});
