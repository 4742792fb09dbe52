import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { findBackend } from '../support/gateway-locations.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * URIs are never rewritten: if two backends have the same one, the first backend by name serves it.
 *
 * @holds config.aggregation, backends | (URIs of resources) | differ | LNT3005
 */
export function shadowedResource(gateway: GatewayModel): Diagnostic[] {
  const { shadowed, resource } = gateway;
  if (shadowed.length === 0) return [];
  const holders = new Map(
    [...gateway.resources, ...gateway.resourceTemplates].map(({ uri, backend }) => [uri, backend]),
  );
  const pairs = Map.groupBy(shadowed, ({ uri, backend }) => JSON.stringify([holders.get(uri) ?? '', backend]));
  return [...pairs].map(([pair, items]) => {
    const [holder, backend] = JSON.parse(pair) as [string, string];
    const uris = formatQuotedList(items.map(({ uri }) => uri));
    const message = `"${holder}" and "${backend}" both have ${uris}; clients only get what "${holder}" serves`;
    const related = [holder, backend].flatMap(name => {
      const origin = findBackend(gateway, name)?.origin;
      return origin === undefined ? [] : [toRelatedLocation(`"${name}"`, origin)];
    });
    return diagnose(resource.document, 'LNT3005', ['spec', 'groupRef', 'name'], message, { related });
  });
}
