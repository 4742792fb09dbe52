import type { Severity } from '../diagnostics/severity.ts';
import { SEVERITY_RANK } from '../lint/index.ts';

/** The `properties` of the plugin in `cdk8s.yaml`. */
export interface LintelValidationProperties {
  /** Lowest severity that fails the synth. Default: `failOn` of `lintel.yaml`, or `error`. */
  readonly failOn?: Severity;
  /** The `lintel.yaml` to use; default: the nearest; none when `false`. */
  readonly config?: string | false;
  /** The tool lock to use. Default: the lock that `lintel.yaml` names, otherwise the nearest; `false`: no lock. */
  readonly catalog?: string | false;
  /** Checks the manifests alone: an unsupported feature is a hint. */
  readonly languageOnly?: boolean;
}

const NAMES = ['failOn', 'config', 'catalog', 'languageOnly'];

/** @throws Error for an unknown property or an invalid value */
export function checkProperties(properties: Readonly<Record<string, unknown>>): LintelValidationProperties {
  for (const [name, value] of Object.entries(properties)) {
    if (!NAMES.includes(name))
      throw createSettingsError(`there is no property "${name}"; there are: ${NAMES.join(', ')}`);
    if (name === 'failOn' && !Object.hasOwn(SEVERITY_RANK, String(value)))
      throw createSettingsError(
        `failOn is one of ${Object.keys(SEVERITY_RANK).join(', ')}, not ${JSON.stringify(value)}`,
      );
    if (name === 'languageOnly') {
      if (typeof value !== 'boolean')
        throw createSettingsError(`languageOnly is true or false, not ${JSON.stringify(value)}`);
      continue;
    }
    if (name !== 'failOn' && typeof value !== 'string' && value !== false)
      throw createSettingsError(`${name} is the path of a file or false, not ${JSON.stringify(value)}`);
  }
  return properties;
}

function createSettingsError(problem: string): Error {
  return new Error(`cdk8s.yaml, properties of LintelValidation: ${problem}`);
}
