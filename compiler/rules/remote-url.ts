import { findRefusedHost } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { urlProblem } from './support/url-problem.ts';

interface RemoteSpec {
  readonly remoteUrl: string;
  readonly allowPrivateEndpoint?: boolean;
}

/**
 * `remoteUrl` of MCPServerEntry and MCPRemoteProxy must be a URL that a gateway may connect to. This rule checks literal addresses; the runtime
 * checks the addresses of a name when it connects.
 *
 * @holds config.aggregation, backends | `backends[].url`, `remoteUrl` | complete URL without credentials; `remoteUrl` no blocked address |
 *   LNT6011, LNT6010
 * @holds Other kinds | MCPServerEntry, MCPRemoteProxy | `spec` is set, although the schema does not require it | LNT1010
 */
export function remoteUrl(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServerEntry' && resource.kind !== 'MCPRemoteProxy') return [];
  if (resource.authored === undefined) {
    const message = `the ${resource.kind} has no spec, so there is nothing to connect to`;
    return [diagnose(resource.document, 'LNT1010', ['spec'], message)];
  }
  const { remoteUrl: text, allowPrivateEndpoint = false } = resource.spec as RemoteSpec;
  const report = (code: DiagnosticCode, message: string, details?: DiagnosticDetails): Diagnostic[] => [
    diagnose(resource.document, code, ['spec', 'remoteUrl'], message, details),
  ];
  const problem = urlProblem(text);
  if (problem !== undefined) {
    const { message, ...details } = problem;
    return report('LNT6011', `remoteUrl ${message}`, details);
  }
  const { hostname } = new URL(text);
  switch (classifyHost(hostname)) {
    case 'blocked':
      return report('LNT6010', `remoteUrl points to "${hostname}", which a gateway never contacts`, {
        help: 'For a server on this machine write a static backend: config.backends, with spec.outgoingAuth.source inline',
      });
    case 'private':
      if (allowPrivateEndpoint) return [];
      return report('LNT6010', `remoteUrl points to the private address "${hostname}"`, {
        fix: 'set spec.allowPrivateEndpoint to true if the address is correct',
      });
    case 'public':
      return [];
  }
}

/** Predicts the runtime's check at connection time, as far as it needs no DNS. */
function classifyHost(host: string): 'blocked' | 'private' | 'public' {
  if (findRefusedHost(host, 'private') !== undefined) return 'blocked';
  return findRefusedHost(host, 'public') === undefined ? 'public' : 'private';
}
