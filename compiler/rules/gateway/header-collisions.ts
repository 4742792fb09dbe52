import type { OutgoingAuthPlan } from '#schemas';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type ObjectLocation, toRelatedLocation } from '../../resolve/related-location.ts';
import type { Path } from '../../source/source-document.ts';
import { quote } from '../../text/describe.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * A header must have one source: the caller, the backend's settings, or the credential. With two values it is unclear which one the backend
 * would see. This rule does not consider the headers of an MCPRemoteProxy, because its proxy adds them behind the gateway.
 *
 * @holds VirtualMCPServer | `passthroughHeaders`, `headerForward`, credentials | no header is set by two of them | LNT6015
 * @for gateways, servers
 * @reads credentials
 */
export function headerCollisions(gateway: GatewayModel): Diagnostic[] {
  return [
    ...listPassedHeaders(gateway).flatMap(({ name, path }) => [
      ...withStatic(gateway, name, path),
      ...withCredential(gateway, name, path),
    ]),
    ...gateway.backends.flatMap(backend => checkStaticWithCredential(gateway, backend)),
  ];
}

function listPassedHeaders({
  resource: { spec },
}: GatewayModel): readonly { readonly name: string; readonly path: Path }[] {
  const field = spec.passthroughHeaders === undefined ? ['spec', 'config'] : ['spec'];
  const names = spec.passthroughHeaders ?? spec.config?.passthroughHeaders ?? [];
  return names.map((name, index) => ({ name, path: [...field, 'passthroughHeaders', index] }));
}

function withStatic({ resource, backends }: GatewayModel, name: string, path: Path): Diagnostic[] {
  return backends.flatMap(({ plan, origin }) => {
    if (!plan.headers.some(header => isSame(header.name, name))) return [];
    const message = `the header ${quote(name)} of callers collides with the header that MCPServerEntry "${plan.name}" sets`;
    const related = [toRelatedLocation('set here', { resource: origin.resource, path: HEADERS })];
    return [diagnose(resource.document, 'LNT6015', path, message, { related })];
  });
}

/** One finding for all backends that share the credential. */
function withCredential({ resource, backends }: GatewayModel, name: string, path: Path): Diagnostic[] {
  const carried = backends.filter(({ plan }) => carries(plan.auth, name));
  const [first] = carried;
  if (first === undefined) return [];
  const names = formatQuotedList(carried.map(backend => backend.name));
  const message = `the header ${quote(name)} of callers collides with the credential for ${names}`;
  const related = first.location === null ? [] : [toRelatedLocation('chosen here', first.location.location)];
  return [diagnose(resource.document, 'LNT6015', path, message, { related })];
}

function checkStaticWithCredential(gateway: GatewayModel, { plan, origin, location }: BackendModel): Diagnostic[] {
  return plan.headers
    .filter(({ name }) => carries(plan.auth, name))
    .map(({ name }) => {
      const message = `the header ${quote(name)} collides with the credential that VirtualMCPServer "${gateway.resource.name}" sends`;
      const headers: ObjectLocation = { resource: origin.resource, path: HEADERS };
      const related = location === null ? [] : [toRelatedLocation('chosen here', location.location)];
      return diagnose(headers.resource.document, 'LNT6015', headers.path, message, { at: 'key', related });
    });
}

/** The finding points at the whole block, because the line of a header contains its value. */
const HEADERS: Path = ['spec', 'headerForward'];

/** Headers of a signature (Signature Version 4). */
const SIGNATURE: readonly string[] = ['authorization', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];

function carries(auth: OutgoingAuthPlan, header: string): boolean {
  switch (auth.type) {
    case 'unauthenticated':
      return false;
    case 'header_injection':
      return isSame(auth.header, header);
    case 'aws_sts':
      return SIGNATURE.includes(header.toLowerCase());
    case 'token_exchange':
    case 'upstream_inject':
    case 'obo':
    case 'xaa':
      return isSame(header, 'authorization');
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
