import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/** Names that shells and pods can set (IEEE Std 1003.1-2017, 8.1): a variable with another name never exists at run time. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const STRATEGY_BLOCKS = ['headerInjection', 'tokenExchange', 'obo', 'xaa'] as const;

/**
 * Names of environment variables must be valid in a pod.
 *
 * @holds The rest of config | `telemetry.environmentVariables`, fields that end in `Env` | valid names of environment variables | LNT1012 |
 *   `unservable/`
 */
export function variableNames(resource: Resource): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const oidc = spec.config?.incomingAuth?.oidc;
  const blocks = listStrategies(resource).flatMap(({ strategy, path }) =>
    STRATEGY_BLOCKS.map(block => ({ block: strategy[block], path: [...path, block] })),
  );
  const attributes = spec.config?.telemetry?.environmentVariables ?? [];
  return [
    ...checkEnvFields(resource, oidc, ['spec', 'config', 'incomingAuth', 'oidc']),
    ...blocks.flatMap(({ block, path }) => checkEnvFields(resource, block, path)),
    ...attributes.flatMap((name, index) =>
      name === ''
        ? report(resource, name, ['spec', 'config', 'telemetry', 'environmentVariables', index])
        : check(resource, name, ['spec', 'config', 'telemetry', 'environmentVariables', index]),
    ),
  ];
}

/** All fields that end in `Env` name a variable. */
function checkEnvFields(resource: Resource, block: object | undefined, path: Path): Diagnostic[] {
  return Object.entries(block ?? {}).flatMap(([field, name]) =>
    field.endsWith('Env') && typeof name === 'string' ? check(resource, name, [...path, field]) : [],
  );
}

/** An empty name counts as unset. */
function check(resource: Resource, name: string, path: Path): Diagnostic[] {
  return name === '' || VARIABLE_NAME.test(name) ? [] : report(resource, name, path);
}

function report(resource: Resource, name: string, path: Path): Diagnostic[] {
  const form = 'letters, digits and "_", the first no digit, such as "GITHUB_TOKEN"';
  const message = `${quote(name)} is not a valid name of an environment variable: ${form}`;
  return [diagnose(resource.document, 'LNT1012', path, message, { help: `Write ${form}` })];
}
