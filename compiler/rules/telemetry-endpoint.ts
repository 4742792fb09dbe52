import { GATEWAY_PORT, INTERNAL_PORT, type MCPTelemetryConfig } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { findWebUrlProblem } from './support/url-problem.ts';

/** `host:port`, as OpenTelemetry exporters accept it: a name or IPv4 address, or an IPv6 address in brackets. */
const HOST_AND_PORT = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;

const MAX_PORT = 65_535;

/**
 * A collector needs a valid address and a signal to receive, and certificates only apply to TLS.
 *
 * @holds Other kinds | MCPTelemetryConfig `endpoint` | tracing or metrics enabled | LNT1010
 * @holds Other kinds | MCPTelemetryConfig, `config.telemetry.endpoint`, `prometheusPort` | a URL without credentials or `host:port`; a port
 *   that is not used otherwise | LNT6011, LNT1013 | `unservable/`
 * @holds Other kinds | MCPTelemetryConfig, `caBundleRef` | not with `insecure` | LNT1021
 */
export function telemetryEndpoint(resource: Resource): Diagnostic[] {
  const telemetry = gatewaySpec(resource)?.config?.telemetry;
  if (telemetry !== undefined) {
    const path = ['spec', 'config', 'telemetry'];
    return [
      ...checkCollectorAddress(resource.document, telemetry.endpoint, [...path, 'endpoint']),
      ...checkPort(resource, telemetry.prometheusPort, [...path, 'prometheusPort']),
    ];
  }
  if (resource.kind !== 'MCPTelemetryConfig') return [];
  const { openTelemetry } = resource.spec as NonNullable<MCPTelemetryConfig['spec']>;
  if (openTelemetry === undefined) return [];
  const { endpoint = '', metrics, tracing, insecure = false, caBundleRef } = openTelemetry;
  const path = ['spec', 'openTelemetry'];
  const found = checkCollectorAddress(resource.document, endpoint, [...path, 'endpoint']);
  if (endpoint !== '' && metrics?.enabled !== true && tracing?.enabled !== true) {
    const message = 'nothing would be sent to the endpoint: enable tracing or metrics';
    found.push(diagnose(resource.document, 'LNT1010', [...path, 'endpoint'], message));
  }
  if (insecure && caBundleRef !== undefined) {
    const message = 'caBundleRef and insecure exclude each other: plain http has no certificate';
    found.push(diagnose(resource.document, 'LNT1021', [...path, 'caBundleRef'], message, { at: 'key' }));
  }
  return found;
}

/** Why a collector's endpoint at `path` is invalid. */
export function checkCollectorAddress(document: ResourceDocument, endpoint = '', path: Path): Diagnostic[] {
  const port = Number(HOST_AND_PORT.exec(endpoint)?.[1] ?? 0);
  if (endpoint === '' || (port > 0 && port <= MAX_PORT)) return [];
  const problem = findWebUrlProblem(endpoint);
  if (problem === undefined) return [];
  const fix = problem.fix ?? 'write a URL such as "https://collector.example.com:4318", or host:port';
  return [diagnose(document, 'LNT6011', path, `endpoint ${problem.message}`, { fix })];
}

function checkPort(resource: Resource, number: number | undefined, path: Path): Diagnostic[] {
  const help = `Write a port from 1 to ${MAX_PORT} that is not in use, such as 9464`;
  if (number === GATEWAY_PORT || number === INTERNAL_PORT) {
    const use = number === GATEWAY_PORT ? 'for clients' : 'of the internal pages';
    return [diagnose(resource.document, 'LNT1013', path, `port ${number} is the one ${use}: choose another`, { help })];
  }
  if (number === undefined || (number > 0 && number <= MAX_PORT)) return [];
  return [
    diagnose(resource.document, 'LNT1013', path, `expected a port from 1 to ${MAX_PORT}, found ${number}`, { help }),
  ];
}
