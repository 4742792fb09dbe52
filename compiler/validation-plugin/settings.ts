import type { Severity } from '../diagnostics/diagnostic.ts';
import { SEVERITY_RANK } from '../lint/index.ts';

/** The `properties` of the plugin in `cdk8s.yaml`. */
export interface LintelValidationProperties {
  /** Least severity that fails the synth: `failOn` of `lintel.yaml`, or `error`, unless given. */
  readonly failOn?: Severity;
  /** The `lintel.yaml` to go by; the nearest unless given, none when `false`. */
  readonly config?: string | false;
  /** The tool lock to go by; that of `lintel.yaml` or the nearest unless given, none when `false`. */
  readonly catalog?: string | false;
  /** Judges the manifests alone: what this version cannot serve yet is a hint. */
  readonly languageOnly?: boolean;
}

const NAMES = ['failOn', 'config', 'catalog', 'languageOnly'];

/** @throws Error for a property that there is not, or a value that it cannot have */
export function checkProperties(properties: Readonly<Record<string, unknown>>): LintelValidationProperties {
  for (const [name, value] of Object.entries(properties)) {
    if (!NAMES.includes(name)) throw mistake(`there is no property "${name}"; there are: ${NAMES.join(', ')}`);
    if (name === 'failOn' && !Object.hasOwn(SEVERITY_RANK, String(value)))
      throw mistake(`failOn is one of ${Object.keys(SEVERITY_RANK).join(', ')}, not ${JSON.stringify(value)}`);
    if (name === 'languageOnly') {
      if (typeof value !== 'boolean') throw mistake(`languageOnly is true or false, not ${JSON.stringify(value)}`);
      continue;
    }
    if (name !== 'failOn' && typeof value !== 'string' && value !== false)
      throw mistake(`${name} is the path of a file or false, not ${JSON.stringify(value)}`);
  }
  return properties;
}

function mistake(problem: string): Error {
  return new Error(`cdk8s.yaml, properties of LintelValidation: ${problem}`);
}
