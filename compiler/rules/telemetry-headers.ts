import type { MCPTelemetryConfig } from '#schemas';
import { hasLineBreak, isHeaderName } from '#shared/plan';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isSecretHeader } from '../source/secret-name.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

type OpenTelemetry = NonNullable<NonNullable<MCPTelemetryConfig['spec']>['openTelemetry']>;

/**
 * Headers for the collector must have valid names and single-line values, and no plain-text secrets.
 *
 * @holds Other kinds | MCPTelemetryConfig, `headers`, `sensitiveHeaders` | names of headers, values in one line, no secret in the clear |
 *   LNT6013, LNT6001 | `unservable/`
 */
export function telemetryHeaders(resource: Resource): Diagnostic[] {
  const telemetry = gatewaySpec(resource)?.config?.telemetry;
  if (telemetry !== undefined) {
    const fix = 'use spec.telemetryConfigRef, with sensitiveHeaders in the MCPTelemetryConfig';
    return checkPlain(resource, telemetry.headers, ['spec', 'config', 'telemetry', 'headers'], fix);
  }
  if (resource.kind !== 'MCPTelemetryConfig') return [];
  const { openTelemetry } = resource.spec as NonNullable<MCPTelemetryConfig['spec']>;
  const path = ['spec', 'openTelemetry'];
  return [
    ...checkPlain(resource, openTelemetry?.headers, [...path, 'headers'], 'use sensitiveHeaders'),
    ...checkSensitive(resource, openTelemetry?.sensitiveHeaders, [...path, 'sensitiveHeaders']),
  ];
}

function checkPlain(
  resource: Resource,
  headers: Readonly<Record<string, string>> | undefined,
  path: Path,
  fix: string,
): Diagnostic[] {
  return Object.entries(headers ?? {}).flatMap(([name, value]) => {
    if (!isHeaderName(name)) return checkNotAHeader(resource, name, [...path, name], 'key');
    if (isSecretHeader(name) && value !== '') {
      const message = `the header ${quote(name)} holds a secret in the clear`;
      // Reported at the parent block, because code frames must not show the line with the secret.
      return [diagnose(resource.document, 'LNT6001', path, message, { at: 'key', fix, severity: 'error' })];
    }
    if (!hasLineBreak(value)) return [];
    const message = `the value of ${quote(name)} contains a line break`;
    return [diagnose(resource.document, 'LNT6013', path, message, { at: 'key' })];
  });
}

function checkSensitive(resource: Resource, headers: OpenTelemetry['sensitiveHeaders'] = [], path: Path): Diagnostic[] {
  return headers.flatMap(({ name }, index) =>
    isHeaderName(name) ? [] : checkNotAHeader(resource, name, [...path, index, 'name'], 'value'),
  );
}

function checkNotAHeader(resource: Resource, name: string, path: Path, at: 'key' | 'value'): Diagnostic[] {
  return [diagnose(resource.document, 'LNT6013', path, `${quote(name)} is not the name of a header`, { at })];
}
