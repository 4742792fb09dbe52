import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkCollectorAddress } from '../telemetry-endpoint.ts';

/**
 * The collector's address must be valid.
 *
 * @holds Registry server | `telemetry.endpoint` | a URL without credentials or `host:port` | LNT6011
 */
export function telemetrySettings({ document, config: { telemetry } }: RegistryDocument): Diagnostic[] {
  if (telemetry?.enabled !== true) return [];
  return checkCollectorAddress(document, telemetry.endpoint, ['telemetry', 'endpoint']);
}
