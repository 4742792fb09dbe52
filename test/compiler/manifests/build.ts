/** From specs as text to manifests. */
import { expect } from 'vitest';
import { compile, generateManifests, type Manifest, type ManifestSettings, readTexts, SourceText } from '#compiler';

const ORIGIN = { compilerVersion: '0.0.0', sourceRevision: null };

export const GROUP = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools, namespace: mcp }
`;

export const ENTRY = `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github, namespace: mcp }
spec: { remoteUrl: "https://github.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }
`;

export interface GatewayText {
  readonly name?: string;
  /** Fields of the spec in block style, without indentation. */
  readonly spec?: string;
  readonly annotations?: string;
  readonly objects?: readonly string[];
}

export function gatewayText({ name = 'eng', spec = '', annotations = '{}', objects = [] }: GatewayText = {}): string {
  const own = /^incomingAuth:/m.test(spec) ? spec : `incomingAuth: { type: anonymous }\n${spec}`;
  const gateway = `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ${JSON.stringify(name)}, namespace: mcp, annotations: ${annotations} }
spec:
  groupRef: { name: tools }
${indented(own, 2)}`;
  return [GROUP, ENTRY, ...objects, gateway].join('---\n');
}

export const CONFIG = `sources: [{ name: official, api: { endpoint: "https://registry.example.com" }, syncPolicy: { interval: 1h } }]
registries: [{ name: main, sources: [official] }]
auth: { mode: anonymous }
`;

/** @param spec fields next to `configYAML`, in block style, without indentation */
export function registryText(spec = '', config: string = CONFIG, name = 'company'): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPRegistry
metadata: { name: ${JSON.stringify(name)}, namespace: mcp }
spec:
${indented(spec, 2)}  configYAML: |
${indented(config, 4)}`;
}

/** The manifests of the only gateway or registry server in a text. */
export function manifestsFor(text: string, settings: ManifestSettings = {}): readonly Manifest[] {
  return generateManifests(builtFrom(text), settings);
}

export function builtFrom(text: string) {
  const sources = readTexts([new SourceText('spec.yaml', text)]);
  const { gateways, registries, findings } = compile(sources, { purpose: 'build', origin: ORIGIN });
  expect(findings.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  const [built] = [...gateways.map(({ bundle }) => ({ bundle, files: [] })), ...registries];
  if (built === undefined || built.bundle === null) throw new Error('no bundle');
  return { bundle: built.bundle, files: built.files };
}

/** The only object of a kind. */
export function only(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, second] = manifests.filter(manifest => manifest.kind === kind);
  if (found === undefined || second !== undefined) throw new Error(`not one ${kind}`);
  return found;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: PodSpec;
}

type Part = { readonly name: string; readonly [member: string]: unknown };

export interface PodSpec {
  readonly containers: readonly Part[];
  readonly volumes: readonly Part[];
  readonly [member: string]: unknown;
}

export function findTemplate(manifests: readonly Manifest[]): PodTemplate {
  return (only(manifests, 'Deployment').spec as { readonly template: PodTemplate }).template;
}

function indented(text: string, spaces: number): string {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  // Not the `m` flag, for which Unicode line separators also end a line.
  return whole.replace(/(^|\n)(?=[^\n])/g, `$1${' '.repeat(spaces)}`);
}
