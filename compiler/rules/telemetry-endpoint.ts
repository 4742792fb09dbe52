import type { MCPTelemetryConfig } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';

/** A collector is for something, and its certificate matters only where there is one. */
export function telemetryEndpoint(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPTelemetryConfig') return [];
  const { openTelemetry } = resource.spec as NonNullable<MCPTelemetryConfig['spec']>;
  if (openTelemetry === undefined) return [];
  const { endpoint = '', metrics, tracing, insecure = false, caBundleRef } = openTelemetry;
  const path = ['spec', 'openTelemetry'];
  const found: Diagnostic[] = [];
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
