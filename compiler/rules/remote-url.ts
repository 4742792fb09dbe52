import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { urlProblem } from './url-problem.ts';

interface RemoteSpec {
  readonly remoteUrl: string;
  readonly allowPrivateEndpoint?: boolean;
}

/** Hosts of the machine, of the cluster's API and of cloud metadata: never a remote MCP server. */
const BLOCKED_HOST =
  /^(?:.+\.)?(?:localhost|kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?|metadata\.google\.internal)$/;

/** Names that only a cluster's DNS answers. */
const CLUSTER_HOST = /\.cluster\.local$/;

/**
 * `remoteUrl` of MCPServerEntry and MCPRemoteProxy must be a URL that a gateway may reach. Literals are judged here; what a
 * name resolves to is checked again when the connection is opened.
 */
export function remoteUrl(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServerEntry' && resource.kind !== 'MCPRemoteProxy') return [];
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
  switch (reachOf(hostname.toLowerCase().replace(/\.$/, ''))) {
    case 'blocked':
      return report('LNT6010', `remoteUrl points to "${hostname}", which a gateway never contacts`, {
        help: 'For a server on this machine write a static backend: config.backends, with spec.outgoingAuth.source inline',
      });
    case 'private':
      if (allowPrivateEndpoint) return [];
      return report('LNT6010', `remoteUrl points to the private address "${hostname}"`, {
        fix: 'set spec.allowPrivateEndpoint to true if that is meant',
      });
    case 'public':
      return [];
  }
}

function reachOf(host: string): 'blocked' | 'private' | 'public' {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0) {
    return BLOCKED_HOST.test(host) ? 'blocked' : CLUSTER_HOST.test(host) ? 'private' : 'public';
  }
  const range = ipaddr.process(literal).range();
  if (range === 'private' || range === 'uniqueLocal') return 'private';
  return range === 'unicast' ? 'public' : 'blocked';
}
