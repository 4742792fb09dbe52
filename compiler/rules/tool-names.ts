import type { MCPToolConfigSpec } from '#schemas';
import { validateToolName } from '#shared/plan';
import { isMcpName } from '../analysis/gateway/client-profiles.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

interface NamedPlace {
  readonly name: string;
  readonly path: Path;
}

/**
 * Tool names in settings must be valid for every client, and filters must be able to match.
 *
 * @holds config.aggregation, backends | `overrides[].name`, `filter` | names that MCP permits; entries without commas and line breaks | LNT1047
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `name` | a tool name that MCP permits | LNT1047
 * @holds Other kinds | MCPToolConfig, `toolsFilter`, `toolsOverride` | names that MCP permits | LNT1047
 */
export function toolNames(resource: Resource): Diagnostic[] {
  const lists = listToolLists(resource);
  const namedPlaces = [
    ...listCompositeTools(resource).map(({ tool, path }) => ({ name: tool.name, path: [...path, 'name'] })),
    ...lists.flatMap(({ overrides }) => overrides),
  ];
  return [
    // An empty name counts as unset; for a composite tool another rule reports it.
    ...namedPlaces
      .filter(({ name }) => name !== '' && !isMcpName(name))
      .map(({ name, path }) => {
        const violation = validateToolName(name);
        const form = '1 to 128 letters, digits, "_", "-" and "."';
        if (violation === undefined) {
          const message = `${quote(name)} is not a tool name that every client accepts: ${form}`;
          return diagnose(resource.document, 'LNT1047', path, message);
        }
        const message = `the gateway would withhold the tool ${quote(name)} from clients: ${violation}; use ${form}`;
        return diagnose(resource.document, 'LNT1047', path, message, { severity: 'error' });
      }),
    ...lists
      .flatMap(({ filter }) => filter)
      .filter(({ name }) => name === '' || /[,\r\n]/.test(name))
      .map(({ path }) => {
        const message = 'this filter matches no tool: an entry is one name, without commas and line breaks';
        return diagnose(resource.document, 'LNT1047', path, message);
      }),
  ];
}

interface ToolList {
  readonly filter: readonly NamedPlace[];
  readonly overrides: readonly NamedPlace[];
}

type Overrides = Readonly<Record<string, { readonly name?: string }>>;

function listToolLists(resource: Resource): ToolList[] {
  if (resource.kind === 'MCPToolConfig') {
    const { toolsFilter, toolsOverride } = resource.spec as MCPToolConfigSpec;
    return [toToolList(toolsFilter, ['spec', 'toolsFilter'], toolsOverride, ['spec', 'toolsOverride'])];
  }
  return (gatewaySpec(resource)?.config?.aggregation?.tools ?? []).map(({ filter, overrides }, index) => {
    const path = ['spec', 'config', 'aggregation', 'tools', index];
    return toToolList(filter, [...path, 'filter'], overrides, [...path, 'overrides']);
  });
}

function toToolList(
  filter: readonly string[] = [],
  filterPath: Path,
  overrides: Overrides = {},
  overridesPath: Path,
): ToolList {
  return {
    filter: filter.map((name, index) => ({ name, path: [...filterPath, index] })),
    overrides: Object.entries(overrides).map(([tool, { name = '' }]) => ({
      name,
      path: [...overridesPath, tool, 'name'],
    })),
  };
}
