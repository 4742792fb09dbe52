import { API_GROUP, type MCPServerSpec } from '#schemas';
import type { GatewaySettings } from '../analysis/gateway/settings.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * stdio images need a command: the bridge does not know the image's own command, because Kubernetes does not pass it to the container.
 * Objects of other API groups have operators of their own.
 */
export function checkStdioImage(
  { kind, name, spec, document }: Resource,
  target: GatewaySettings['target'],
): Diagnostic[] {
  if (target !== 'pods' || kind !== 'MCPServer' || document.group !== API_GROUP) return [];
  const { image, command, transport } = spec as MCPServerSpec;
  if (image === undefined || command !== undefined || transport !== 'stdio') return [];
  const message = `the image of "${name}" speaks over its standard streams, and does not say which of its programs does: in a cluster, a bridge starts that`;
  const fix = `set command to the program, and args to its arguments: \`skopeo inspect --config docker://${image}\` shows them as Entrypoint and Cmd; or set transport to streamable-http or sse, if the image serves one of them`;
  return [diagnose(document, 'LNT6023', ['spec', 'transport'], message, { fix })];
}
