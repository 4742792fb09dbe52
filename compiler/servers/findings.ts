/** Rewrites findings about the gateway of an MCPServer in terms of the server. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { formatPointer, parsePointer } from '../text/pointer.ts';
import { serverPath } from './places.ts';

/** Names of fields in messages, longest first. */
const FIELDS: readonly (readonly [of: RegExp, by: string])[] = [
  [/\bspec\.config\.aggregation\.tools\[0\]\.toolConfigRef\b/g, 'spec.toolConfigRef'],
  [/\bspec\.incomingAuth\.(?=oidcConfigRef|authzConfig)/g, 'spec.'],
  [/\bspec\.config\.(?=rateLimiting|audit)/g, 'spec.'],
  [/\bspec\.authServerConfig\b/g, 'embeddedAuthServer'],
  [/\bspec\.imagePullSecrets\b/g, 'spec.resourceOverrides.proxyDeployment.imagePullSecrets'],
];

/** @param found findings about the gateway, located at the server */
export function aboutServer(server: Resource, found: readonly Diagnostic[]): readonly Diagnostic[] {
  return found.map(finding => (isAbout(server, finding) ? reword(server, finding) : finding));
}

function isAbout({ kind, namespace, name }: Resource, { object }: Diagnostic): boolean {
  return object?.kind === kind && object.namespace === namespace && object.name === name;
}

function reword(server: Resource, finding: Diagnostic): Diagnostic {
  const words = (text: string) =>
    FIELDS.reduce((renamed, [of, by]) => renamed.replace(of, by), text).replaceAll(
      `VirtualMCPServer "${server.name}"`,
      `${server.kind} "${server.name}"`,
    );
  return {
    ...finding,
    message: words(finding.message),
    ...(finding.fix === undefined ? {} : { fix: words(finding.fix) }),
    pointer: formatPointer(serverPath(parsePointer(finding.pointer))),
  };
}
