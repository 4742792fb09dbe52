/** Sources that refer to one another, and edits as users and their tools make them. */

import { gatewayTexts } from '../../bench/gateways.ts';
import { TEST_AUTHORITY } from '../../support/tls-fixture.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';
import type { Seeded } from '../mutated-specs/seeded.ts';

/** Texts by file name. */
export type Files = ReadonlyMap<string, string>;

/** The runtime can serve this gateway, so it has a bundle while nothing that it refers to is broken. */
function served(namespace: string): [file: string, text: string][] {
  const object = (kind: string, name: string, spec: string) =>
    `apiVersion: lintel.dev/v1beta1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`;
  const entry = (name: string, more = '') =>
    object(
      'MCPServerEntry',
      name,
      `{ groupRef: { name: all }, remoteUrl: "https://${name}.example.com/mcp", transport: sse${more} }`,
    );
  const tools = '{ workload: issues, toolConfigRef: { name: fewer } }';
  return [
    [`${namespace}/group.yaml`, object('MCPGroup', 'all', '{}')],
    [`${namespace}/issues.yaml`, entry('issues', ', caBundleRef: { configMapRef: { name: ca, key: pem } }')],
    [`${namespace}/wiki.yaml`, entry('wiki')],
    [`${namespace}/fewer.yaml`, object('MCPToolConfig', 'fewer', '{ toolsFilter: [search, create] }')],
    [
      `${namespace}/ca.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ca, namespace: ${namespace} }\ndata: { pem: ${JSON.stringify(TEST_AUTHORITY)} }\n`,
    ],
    [
      `${namespace}/gateway.yaml`,
      object(
        'VirtualMCPServer',
        'gateway',
        `{ groupRef: { name: all }, incomingAuth: { type: anonymous }, config: { aggregation: { tools: [${tools}] } } }`,
      ),
    ],
  ];
}

/** Gateways of one namespace that send one Secret to different hosts: a finding at one depends on the others. */
function tenants(namespace: string): [file: string, text: string][] {
  const object = (kind: string, name: string, spec: string) =>
    `apiVersion: lintel.dev/v1beta1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`;
  const reference = '{ type: externalAuthConfigRef, externalAuthConfigRef: { name: key } }';
  return [
    [
      `${namespace}/key.yaml`,
      object(
        'MCPExternalAuthConfig',
        'key',
        '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: all } } }',
      ),
    ],
    ...['red', 'green', 'blue'].map((name): [string, string] => [
      `${namespace}/${name}.yaml`,
      [
        object('MCPGroup', name, '{}'),
        object(
          'MCPServerEntry',
          name,
          `{ groupRef: { name: ${name} }, remoteUrl: "https://${name}.example.com", transport: sse }`,
        ),
        object(
          'VirtualMCPServer',
          name,
          `{ groupRef: { name: ${name} }, incomingAuth: { type: anonymous }, outgoingAuth: { default: ${reference} } }`,
        ),
      ].join('---\n'),
    ]),
  ];
}

/** Almost every object has its own file, so that an edit affects other files only through references. */
export const FILES: Files = new Map([
  ...BASE_SPECS.filter(({ file, title }) => file.endsWith('.yaml') && title === file).flatMap(({ file, text }) =>
    text.split(/^---\n/m).map((part, index) => [`${file.replace('.yaml', '')}/${index}.yaml`, part] as const),
  ),
  ...BASE_SPECS.filter(({ file }) => file.endsWith('.json')).map(({ file, text }) => [file, text] as const),
  ...['one', 'two', 'three'].flatMap(served),
  ...tenants('tenants'),
  ...gatewayTexts(7).map(({ file, text }) => [file, text] as const),
]);

const WORD = /[\w.-]+/g;
const WORDS = [...new Set([...FILES.values()].flatMap(text => text.match(WORD) ?? []))];

/** One edit; it leaves unaffected files unchanged. */
export function edited(files: Files, random: Seeded): Files {
  const next = new Map(files);
  const names = [...files.keys()];
  const name = names[random.int(names.length)] ?? 'new.yaml';
  const text = files.get(name) ?? '';
  switch (random.int(10)) {
    case 0:
      next.delete(name);
      break;
    case 1:
      next.delete(name);
      next.set(`${random.int(3)}-${name}`, text);
      break;
    case 2: {
      // A copy: every object in it now exists twice.
      next.set(`copy-${random.int(3)}.yaml`, text);
      break;
    }
    case 3:
      // A temporary state of an editor.
      next.set(name, text.slice(0, random.int(text.length + 1)));
      break;
    case 4: {
      const [original, content] = [...FILES][random.int(FILES.size)] ?? ['', ''];
      next.set(original, content);
      break;
    }
    case 5:
      next.set(name, `# moved down\n${text}`);
      break;
    default:
      next.set(name, withOtherWord(text, random));
  }
  return next;
}

/** Replaces a name, kind, type or value. */
function withOtherWord(text: string, random: Seeded): string {
  const places = [...text.matchAll(WORD)];
  const place = places[random.int(Math.max(1, places.length))];
  if (place === undefined) return `${text}\n`;
  const word = WORDS[random.int(WORDS.length)] ?? '';
  return text.slice(0, place.index) + word + text.slice(place.index + place[0].length);
}
