/** Rewrites findings about the gateway of an MCPServer in terms of the server. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { formatPointer, parsePointer } from '../text/pointer.ts';
import { toServerPath } from './gateway-document.ts';

/** Fields of the gateway's spec in messages, and the fields of the server's spec that replace them. The longest come first. */
const FIELDS: readonly (readonly [of: RegExp, by: string])[] = [
  [/\bspec\.config\.aggregation\.tools\[0\]\.toolConfigRef\b/g, 'spec.toolConfigRef'],
  [/\bspec\.incomingAuth\.(?=oidcConfigRef|authzConfig)/g, 'spec.'],
  [/\bspec\.config\.(?=rateLimiting|audit)/g, 'spec.'],
  [/\bspec\.authServerConfig\b/g, 'embeddedAuthServer'],
  [/\bincomingAuth\.type is anonymous\b/g, 'there is no oidcConfigRef'],
  [/\bspec\.imagePullSecrets\b/g, 'spec.resourceOverrides.proxyDeployment.imagePullSecrets'],
];

/** What to do, for codes whose pages name fields of a VirtualMCPServer. */
const HELP: { readonly [code: string]: string } = {
  LNT4001: 'Name an MCPOIDCConfig in oidcConfigRef, or offer only tools with readOnlyHint by toolConfigRef',
  LNT4006: 'Name an MCPOIDCConfig in oidcConfigRef, or have policies that look at tools only',
};

/** @param found findings about the gateway, located at the server */
export function attributeToServer(server: Resource, found: readonly Diagnostic[]): readonly Diagnostic[] {
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
    ...(finding.help === undefined ? {} : { help: HELP[finding.code] ?? finding.help }),
    pointer: formatPointer(toServerPath(parsePointer(finding.pointer))),
  };
}
