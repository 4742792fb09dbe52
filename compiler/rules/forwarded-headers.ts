import type { MCPServerEntrySpec } from '#schemas';
import { hasLineBreak } from '#shared/plan';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { findHeaderNameProblem, type HeaderUse } from './support/header-names.ts';

/**
 * Headers that a gateway forwards or adds must not control the connection or the protocol, or contain the caller's credentials.
 *
 * @holds VirtualMCPServer | `passthroughHeaders`, `config.passthroughHeaders` | header names; no headers of the connection or the protocol;
 *   not `Authorization`, `Cookie` | LNT6013, LNT6002
 * @holds Other kinds | MCPServerEntry, `headerForward` | header names, each once; no restricted ones; one line; no secrets in the clear |
 *   LNT6013, LNT6002, LNT6015
 */
export function forwardedHeaders(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPServerEntry' || resource.kind === 'MCPRemoteProxy') return checkStaticHeaders(resource);
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const names = spec.passthroughHeaders ?? spec.config?.passthroughHeaders ?? [];
  const field = spec.passthroughHeaders === undefined ? ['spec', 'config'] : ['spec'];
  return names.flatMap((name, index) =>
    checkHeaderName(resource, name, 'passed', [...field, 'passthroughHeaders', index], 'value'),
  );
}

function checkStaticHeaders(resource: Resource): Diagnostic[] {
  const { headerForward } = resource.spec as Pick<MCPServerEntrySpec, 'headerForward'>;
  const path = ['spec', 'headerForward'];
  const plain = Object.entries(headerForward?.addPlaintextHeaders ?? {}).flatMap(([name, value]) => {
    const at = [...path, 'addPlaintextHeaders', name];
    const found = checkHeaderName(resource, name, 'fixed', at, 'key');
    if (!hasLineBreak(value)) return found;
    return [...found, diagnose(resource.document, 'LNT6013', at, `the value of ${quote(name)} contains a line break`)];
  });
  const secret = (headerForward?.addHeadersFromSecret ?? []).flatMap((header, index) =>
    checkHeaderName(
      resource,
      header.headerName,
      'fixed',
      [...path, 'addHeadersFromSecret', index, 'headerName'],
      'value',
    ),
  );
  return [...plain, ...secret, ...checkRepeated(resource, headerForward)];
}

/** Header names are case-insensitive, so a name may occur twice in different spellings. */
function checkRepeated(resource: Resource, forward: MCPServerEntrySpec['headerForward']): Diagnostic[] {
  const path = ['spec', 'headerForward'];
  const names = [
    ...Object.keys(forward?.addPlaintextHeaders ?? {}).map(name => ({ name, at: [...path, 'addPlaintextHeaders'] })),
    ...(forward?.addHeadersFromSecret ?? []).map(({ headerName: name }, index) => ({
      name,
      at: [...path, 'addHeadersFromSecret', index, 'headerName'],
    })),
  ];
  const before = new Set<string>();
  return names.flatMap(({ name, at }) => {
    if (!before.has(name.toLowerCase())) {
      before.add(name.toLowerCase());
      return [];
    }
    // The finding points at the block or the name, because the line of a plain header contains its value.
    return [diagnose(resource.document, 'LNT6015', at, `the header ${quote(name)} is set twice`)];
  });
}

function checkHeaderName(
  resource: Resource,
  name: string,
  use: HeaderUse,
  path: Path,
  at: 'key' | 'value',
): Diagnostic[] {
  const problem = findHeaderNameProblem(name, use);
  if (problem === undefined) return [];
  return [diagnose(resource.document, problem.code, path, problem.message, { at, ...problem.details })];
}
