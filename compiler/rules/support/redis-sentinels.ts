import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';

/** The sentinel settings that all Redis blocks share. */
type WatchedRedis = Pick<NonNullable<VirtualMCPServerSpec['sessionStorage']>, 'sentinelConfig' | 'sentinelTls'>;

/**
 * Sentinel settings must be complete and unambiguous.
 * @param path of the block
 */
export function redisSentinels(
  resource: Resource,
  { sentinelConfig, sentinelTls }: WatchedRedis,
  path: Path,
): Diagnostic[] {
  if (sentinelConfig === undefined) {
    if (sentinelTls === undefined) return [];
    const message = 'sentinelTls has no effect without sentinelConfig';
    return [diagnose(resource.document, 'LNT1008', [...path, 'sentinelTls'], message, { at: 'key' })];
  }
  const at = [...path, 'sentinelConfig'];
  const hasAddresses = (sentinelConfig.sentinelAddrs ?? []).length > 0;
  const hasService = sentinelConfig.sentinelService !== undefined;
  if (hasAddresses && hasService) {
    const message = 'sentinelAddrs and sentinelService exclude each other';
    return [diagnose(resource.document, 'LNT1021', [...at, 'sentinelService'], message, { at: 'key' })];
  }
  if (hasAddresses || hasService) return [];
  return [diagnose(resource.document, 'LNT1010', at, 'sentinelConfig needs sentinelAddrs or sentinelService')];
}
