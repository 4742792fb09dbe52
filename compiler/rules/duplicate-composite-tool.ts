import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, listCompositeTools } from '../resolve/composite-tools.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';

interface NamedWorkflow {
  readonly name: string;
  readonly resource: Resource;
  /** The path of the name. */
  readonly path: Path;
  /** The path of the reference in the gateway. */
  readonly reportAt: Path;
}

/**
 * Composite tools of one gateway must have different names.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `name` | unique in a gateway, inline and by reference | LNT7018
 */
export function duplicateCompositeTool(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind !== 'VirtualMCPServer') return [];
  const first = new Map<string, NamedWorkflow>();
  return [...inlineNames(resource), ...listReferencedNames(resource, inventory)].flatMap(named => {
    const previous = first.get(named.name);
    if (previous === undefined) {
      first.set(named.name, named);
      return [];
    }
    const related = [
      createRelatedLocation('the first composite tool of this name', previous.resource.document.doc, previous.path),
    ];
    const message = `a composite tool named "${named.name}" exists already in this gateway`;
    return [diagnose(resource.document, 'LNT7018', named.reportAt, message, { related })];
  });
}

function inlineNames(resource: Resource): NamedWorkflow[] {
  return listCompositeTools(resource).map(({ tool, path }) => {
    const at = [...path, 'name'];
    return { name: tool.name, resource, path: at, reportAt: at };
  });
}

function listReferencedNames(resource: Resource, inventory: Inventory): NamedWorkflow[] {
  const { config } = resource.spec as VirtualMCPServerSpec;
  return (config?.compositeToolRefs ?? []).flatMap((ref, index) => {
    const kind = 'VirtualMCPCompositeToolDefinition';
    const definition = inventory.find<CompositeTool>(kind, resource.namespace, ref.name);
    if (definition?.authored === undefined) return [];
    const reportAt = ['spec', 'config', 'compositeToolRefs', index, 'name'];
    return [{ name: definition.spec.name, resource: definition, path: ['spec', 'name'], reportAt }];
  });
}
