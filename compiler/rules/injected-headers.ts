import type { MCPExternalAuthConfigSpec } from '#schemas';
import { hasLineBreak } from '#shared/plan';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findHeaderNameProblem } from './support/header-names.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/**
 * A header strategy needs an allowed header name, and exactly one source of its value.
 *
 * @holds outgoingAuth and config.outgoingAuth | `headerInjection` | `headerValue` or `headerValueEnv`; a header name that may carry a
 *   credential; one line | LNT1021, LNT1010, LNT6013, LNT6002
 * @holds Other kinds | MCPExternalAuthConfig, `headerInjection.headerName` | a header name that is free for it | LNT6013, LNT6002
 */
export function injectedHeaders(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { headerInjection } = resource.spec as MCPExternalAuthConfigSpec;
    if (headerInjection === undefined) return [];
    return checkName(resource, headerInjection.headerName, ['spec', 'headerInjection']);
  }
  return listStrategies(resource).flatMap(({ strategy, path }) => {
    const { type, headerInjection } = strategy;
    if (type !== 'header_injection' || headerInjection === undefined) return [];
    const at = [...path, 'headerInjection'];
    const { headerName, headerValue = '', headerValueEnv = '' } = headerInjection;
    const found = checkName(resource, headerName, at);
    if (headerValue !== '' && headerValueEnv !== '') {
      const message = 'headerValue and headerValueEnv exclude each other';
      found.push(diagnose(resource.document, 'LNT1021', [...at, 'headerValueEnv'], message, { at: 'key' }));
    }
    if (headerValue === '' && headerValueEnv === '') {
      found.push(diagnose(resource.document, 'LNT1010', at, 'headerInjection needs headerValueEnv or headerValue'));
    }
    if (hasLineBreak(headerValue)) {
      const message = 'headerValue contains a line break';
      found.push(diagnose(resource.document, 'LNT6013', [...at, 'headerValue'], message, { at: 'key' }));
    }
    return found;
  });
}

function checkName(resource: Resource, name: string, path: Path): Diagnostic[] {
  const problem = findHeaderNameProblem(name, 'credential');
  if (problem === undefined) return [];
  return [diagnose(resource.document, problem.code, [...path, 'headerName'], problem.message, problem.details)];
}
