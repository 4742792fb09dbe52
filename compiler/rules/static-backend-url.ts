import type { VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { urlProblem } from './url-problem.ts';

/** `url` of backends written out in a VirtualMCPServer. They may be anywhere; a bundle must not carry their passwords. */
export function staticBackendUrl(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'VirtualMCPServer') return [];
  const { config } = resource.spec as VirtualMCPServerSpec;
  return (config?.backends ?? []).flatMap(({ url }, index) => {
    const problem = urlProblem(url);
    if (problem === undefined) return [];
    const { message, ...details } = problem;
    const path = ['spec', 'config', 'backends', index, 'url'];
    return [diagnose(resource.document, 'LNT6011', path, `url ${message}`, details)];
  });
}
