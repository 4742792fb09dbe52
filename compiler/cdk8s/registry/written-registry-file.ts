import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { API_GROUP, type RegistryConfig, STORAGE_VERSION } from '#schemas';
import { captureCall, noteOrigin } from '../origins.ts';

/**
 * The configuration file of a registry server, field by field as it is documented, for settings that {@link RegistryFile} does not cover. The
 * compiler checks it. Like {@link RegistryFile} it needs a chart of its own.
 *
 * @example
 * new WrittenRegistryFile(new Chart(app, 'registry'), 'team', {
 *   registryName: 'team',
 *   sources: [{ name: 'ours', managed: {} }],
 *   registries: [{ name: 'team', sources: ['ours'] }],
 *   auth: { mode: 'anonymous' },
 * });
 */
export class WrittenRegistryFile extends ApiObject {
  readonly #config: RegistryConfig;

  constructor(scope: Construct, id: string, config: RegistryConfig) {
    // cdk8s requires these of every object; none of them is in the document.
    super(scope, id, {
      apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
      kind: 'RegistryConfig',
      metadata: { name: config.registryName ?? id },
    });
    this.#config = config;
    noteOrigin(this, '', captureCall(WrittenRegistryFile).at(2));
  }

  /** The document. It contains its name, because the file is named after the chart. */
  override toJson(): object {
    return { registryName: this.name, ...this.#config };
  }
}
