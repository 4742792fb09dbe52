import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { API_GROUP, STORAGE_VERSION } from '#schemas';
import { captureCall, noteOrigin } from '../origins.ts';
import { type RegistryConfigProps, renderConfig } from './registry-config.ts';
import { ownPath } from './server-file.ts';

/** The configuration of a registry server that runs outside of a cluster. */
export interface RegistryFileProps extends RegistryConfigProps {
  /** Name of the bundle. Default: the id of the construct. */
  readonly name?: string;
}

/**
 * The configuration file of a registry server outside of a cluster: a document with `sources`, `registries` and `auth`, and without `apiVersion`
 * and `kind`. `kubectl` refuses it, so give it a chart of its own. In a cluster use {@link Registry}.
 *
 * @example
 * const servers = RegistrySource.projectFile('servers', { path: './servers.json' });
 * new RegistryFile(new Chart(app, 'registry'), 'team', {
 *   registries: [{ name: 'team', sources: [servers] }],
 *   auth: RegistryAuth.anonymous(),
 * });
 */
export class RegistryFile extends ApiObject {
  readonly #config: object;

  constructor(scope: Construct, id: string, props: RegistryFileProps) {
    // cdk8s requires these of every object; none of them is in the document.
    super(scope, id, {
      apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
      kind: 'RegistryConfig',
      metadata: { name: props.name ?? id },
    });
    const call = captureCall(RegistryFile);
    const { value, origins } = renderConfig(this.name, props, ownPath, call);
    this.#config = value;
    for (const { pointer, callSite } of origins) noteOrigin(this, pointer, callSite);
    if (props.name !== undefined) noteOrigin(this, '/registryName', call.at(2, 'name'));
  }

  /** The configuration alone, without `apiVersion` and `kind`. */
  override toJson(): object {
    return this.#config;
  }
}
