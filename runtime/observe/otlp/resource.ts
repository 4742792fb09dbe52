/** How a process describes itself to collectors, by its bundle and by the environment variables of OpenTelemetry. */
import { hostname } from 'node:os';
import type { Attributes } from '@opentelemetry/api';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment variable that names a file of certificate authorities, for bundles that name none.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export const AUTHORITIES_VARIABLE = 'OTEL_EXPORTER_OTLP_CERTIFICATE';

/** The resource attributes of traces, metrics and logs. */
export function buildCommonResource(namespace: string, env: Environment): Attributes {
  return {
    // Distinguishes replicas.
    'service.instance.id': `${hostname()}:${process.pid}`,
    'service.namespace': namespace,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': process.versions.node,
    ...fromEnvironment(env.OTEL_RESOURCE_ATTRIBUTES),
  };
}

/**
 * Parses resource attributes of the form `name=value,…`, whose values are percent-encoded.
 *
 * @see https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable
 */
function fromEnvironment(text = ''): Attributes {
  const pairs = text.split(',').map(pair => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', value]) => (value === undefined ? [] : [[name.trim(), decodeText(value.trim())]])),
  );
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
