import { Yaml } from 'cdk8s';
import { Construct } from 'constructs';
import type { MCPRegistry } from '#schemas';
import { type Call, captureCall, noteOrigin } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { ConstructResource, type NamingProps } from '../resource.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import { type RegistryConfigProps, renderConfig } from './registry-config.ts';
import { MountedFiles } from './server-file.ts';

/** A registry server in the cluster. */
export interface RegistryProps extends RegistryConfigProps, NamingProps {
  /** Display name of the registry. */
  readonly displayName?: string;
  /** Volumes of the pod for files of {@link ServerFile.at}; volumes for Secrets and ConfigMaps are added automatically. */
  readonly volumes?: NonNullable<MCPRegistry['spec']['volumes']>;
  /** Mounts of these volumes in the container `registry-api`. */
  readonly volumeMounts?: NonNullable<MCPRegistry['spec']['volumeMounts']>;
  /** Merged over the generated pod template; the container is `registry-api`. */
  readonly podTemplate?: NonNullable<MCPRegistry['spec']['podTemplateSpec']>;
  /** Names of Secrets for pulling images. */
  readonly imagePullSecrets?: readonly string[];
}

/**
 * A registry server (`MCPRegistry`): a catalogue of MCP servers behind an API. Secrets and certificate authorities that its configuration refers
 * to are mounted automatically.
 *
 * @example
 * const upstream = RegistrySource.api('upstream', { endpoint: 'https://registry.modelcontextprotocol.io', every: '1h' });
 * new Registry(this, 'company', {
 *   registries: [{ name: 'engineering', sources: [upstream] }],
 *   auth: RegistryAuth.oauth({
 *     resourceUrl: 'https://mcp-registry.example.com',
 *     providers: [
 *       RegistryProvider.oidc('company', { issuer: 'https://login.example.com', audience: 'mcp-registry' }),
 *       RegistryProvider.cluster('cluster', { audience: 'mcp-registry' }),
 *     ],
 *   }),
 * });
 */
export class Registry extends Construct {
  /** The name of the MCPRegistry, and of the registry in bundles. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: RegistryProps) {
    super(scope, id);
    const call = captureCall(Registry);
    this.name = props.name ?? id;
    const files = new MountedFiles();
    const config = renderConfig(this.name, props, files.toPath, call);
    const spec = buildSpec(config, props, files);
    const resource = new ConstructResource(this, 'MCPRegistry', this.name, props, () => spec);
    noteOrigin(resource, '', call.at(2));
    noteOrigin(resource, '/metadata/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    noteOrigin(resource, '/spec', call.at(2));
    noteOrigin(resource, '/spec/podTemplateSpec', call.at(2, 'podTemplate'));
    noteConfig(resource, config, call);
  }
}

function buildSpec({ value }: RenderedPart, props: RegistryProps, files: MountedFiles): object {
  const { displayName, volumes = [], volumeMounts = [], podTemplate, imagePullSecrets } = props;
  const all = { volumes: [...files.volumes, ...volumes], volumeMounts: [...files.volumeMounts, ...volumeMounts] };
  return toManifestValue({
    configYAML: configText(value),
    displayName,
    ...(all.volumes.length === 0 ? {} : { volumes: all.volumes }),
    ...(all.volumeMounts.length === 0 ? {} : { volumeMounts: all.volumeMounts }),
    podTemplateSpec: podTemplate,
    imagePullSecrets: imagePullSecrets?.map(name => ({ name })),
  }) as object;
}

/**
 * Records where the values in the text of the configuration come from. A pointer to such a value is the pointer to the field with the text, followed
 * by the pointer into the configuration.
 */
function noteConfig(resource: ConstructResource, config: RenderedPart, call: Call): void {
  noteOrigin(resource, '/spec/configYAML', call.at(2));
  for (const { pointer, callSite } of config.origins) noteOrigin(resource, `/spec/configYAML${pointer}`, callSite);
}

/** Text in YAML 1.1 that YAML 1.2 readers read alike. It is JSON if a text in it looks like an octal number to either of them. */
function configText(config: object): string {
  const json = JSON.stringify(config, undefined, 2);
  return /"[-+]?0o[0-7]+"/.test(json) ? `${json}\n` : Yaml.stringify(config);
}
