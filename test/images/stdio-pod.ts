/** The commands that the pod of a stdio server runs, from the manifests that the compiler writes for it. */
import { compile, generateManifests, readTexts, SourceText } from '#compiler';
import { findTemplate } from '../compiler/manifests/build.ts';

interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
}

export interface StdioPod {
  /** The command of the init container, which runs in the bridge's image. */
  readonly carry: readonly string[];
  /** The command of the server's container, on free loopback ports. */
  readonly start: readonly string[];
}

export function stdioPod({
  name,
  ...program
}: {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}): StdioPod {
  const server = {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'MCPServer',
    metadata: { name, namespace: 'mcp' },
    spec: { image: 'registry.example.com/server:1', transport: 'stdio', ...program },
  };
  const { servers } = compile(readTexts([new SourceText('server.yaml', JSON.stringify(server))]), {
    purpose: 'build',
    target: 'pods',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const bundle = servers[0]?.bundle ?? undefined;
  if (bundle === undefined) throw new Error('the server has no bundle');
  const { initContainers, containers } = findTemplate(generateManifests({ bundle, files: [] })).spec as unknown as {
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
  };
  const [carrier, main] = [initContainers[0], containers.find(container => container.name === 'mcp')];
  if (carrier === undefined || main === undefined) throw new Error('the pod has no bridge');
  // Kubernetes turns two dollar signs into one.
  const args = (main.args ?? []).map(word => word.replaceAll('$$', '$'));
  // A pod has its own address, but this machine has one for all tests.
  const here = args.map((word, at) => (args[at - 1] === '--health-address' ? '127.0.0.1:0' : word));
  return { carry: carrier.command, start: [...main.command, '--port', '0', ...here] };
}
