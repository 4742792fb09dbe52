import { API_GROUP, type MCPServerSpec } from '#schemas';
import type { GatewaySettings } from '../analysis/gateway/settings.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/** Images that no client can reach in a cluster. Those of other API groups are run by their own operators. */
export function stdioImage({ kind, name, spec, document }: Resource, target: GatewaySettings['target']): Diagnostic[] {
  if (target !== 'pods' || kind !== 'MCPServer' || document.group !== API_GROUP) return [];
  const { image, transport } = spec as MCPServerSpec;
  if (image === undefined || transport !== 'stdio') return [];
  const message = `the image of "${name}" speaks over its standard streams, and nothing runs such an image in a cluster`;
  const fix = 'set transport to streamable-http or sse, if the image serves one of them';
  return [diagnose(document, 'LNT6023', ['spec', 'transport'], message, { fix })];
}
