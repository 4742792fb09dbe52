/** Lintel's CRDs through `cdk8s import`, for users who do not want Lintel's constructs. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';

const CRDS = join(ROOT, 'schemas/generated/crd');
const CDK8S = join(ROOT, 'node_modules/cdk8s-cli/bin/cdk8s');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** `cdk8s import` calls `configYAML` `configYaml` in code, and writes it correctly. Kinds have the names that `cdk8s import` gives them. */
const SPECS: { readonly [construct: string]: object } = {
  EmbeddingServer: { model: 'm', podTemplateSpec: { spec: { containers: [{ name: 'embedding', tty: true }] } } },
  GatewaySource: { url: 'https://git.example/specs', ref: { branch: 'main' }, interval: '1m' },
  McpAuthzConfig: { type: 'cedarv1', config: { free: { form: [1] } } },
  McpExternalAuthConfig: { type: 'upstreamInject', upstreamInject: { providerName: 'corp' } },
  McpGroup: { description: 'Engineering' },
  McpoidcConfig: { type: 'inline', inline: { issuer: 'https://id.example' } },
  McpRegistry: { configYAML: 'a: b', volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] },
  McpRemoteProxy: { remoteUrl: 'https://a.example/mcp', podTemplateSpec: { spec: { hostNetwork: false } } },
  McpServer: { image: 'i', env: [{ name: 'A', value: 'b' }] },
  McpServerEntry: { remoteUrl: 'https://a.example/mcp', transport: 'streamable-http', groupRef: { name: 'eng' } },
  McpTelemetryConfig: { openTelemetry: { enabled: true, endpoint: 'https://o.example' } },
  McpToolConfig: { toolsFilter: ['a'] },
  VirtualMcpCompositeToolDefinition: {
    name: 'triage',
    description: 'd',
    parameters: { type: 'object', properties: { repo: { type: 'string' } } },
    steps: [{ id: 's', tool: 'a.b', arguments: { deep: { er: true } } }],
  },
  VirtualMcpServer: {
    groupRef: { name: 'eng' },
    incomingAuth: { type: 'anonymous' },
    podTemplateSpec: { spec: { a: 1 } },
  },
};

withPeers('cdk8s-cli').test(
  'the code that `cdk8s import` writes for every CRD type-checks and keeps every field',
  importEveryCrd,
  {
    timeout: 300_000,
  },
);

async function importEveryCrd(): Promise<void> {
  await using folder = await temporaryFolder({ 'package.json': '{}' });
  await mkdir(folder.file('node_modules'));
  for (const name of ['cdk8s', 'constructs', '@types', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', name), folder.file(`node_modules/${name}`));
  const crds = (await readdir(CRDS)).filter(name => name !== 'kustomization.yaml');
  const texts = await Promise.all(crds.map(name => readFile(join(CRDS, name), 'utf8')));
  await writeFile(folder.file('crds.yaml'), texts.join('\n'));
  execFileSync(process.execPath, [CDK8S, 'import', 'crds.yaml', '--language', 'typescript', '--no-save'], {
    cwd: folder.path,
    env: { ...process.env, CHECK_UPGRADE: 'false' },
    stdio: 'pipe',
  });
  const main = `import { Chart, Testing } from 'cdk8s';
import * as imported from './imports/lintel.dev';
const classes: { [name: string]: any } = imported;
const specs: { [name: string]: object } = ${JSON.stringify(SPECS).replace('configYAML', 'configYaml')};
const chart = new Chart(Testing.app(), 'all');
for (const [name, spec] of Object.entries(specs)) {
  if (!classes[name]) throw new Error(name + ': ' + Object.keys(classes));
  new classes[name](chart, name.toLowerCase(), { spec });
}
console.log(JSON.stringify(Testing.synth(chart).map((each: { spec: object }) => each.spec)));
`;
  await writeFile(folder.file('main.ts'), main);
  const options = { strict: true, module: 'commonjs', moduleResolution: 'node', target: 'ES2019', types: ['node'] };
  const compilerOptions = { ...options, ignoreDeprecations: '6.0', outDir: 'out', rootDir: '.' };
  await writeFile(folder.file('tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  execFileSync(process.execPath, [TSC, '-p', folder.path], { stdio: 'inherit' });
  const stdout = execFileSync(process.execPath, [folder.file('out/main.js')], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(Object.values(SPECS));
  expect(Object.keys(SPECS)).toHaveLength(crds.length);
}
