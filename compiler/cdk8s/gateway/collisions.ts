import { compareText } from '#schemas';
import type { AnyBackend } from '../backend.ts';
import type { CallSite } from '../origins.ts';
import type { ConstructProblem } from '../problems.ts';
import type { Tool } from '../tool.ts';
import type { ToolNaming } from './tool-naming.ts';

/** The tools that the program knows. */
export interface KnownTools {
  /** Tools that statements name. Of a backend without a lock, only these are known. */
  readonly named: readonly Tool[];
  /** Tools that clients see. */
  readonly offered: readonly Tool[];
  /** Names of the gateway's own tools, which clients see. */
  readonly own: readonly string[];
  /** The statement that renamed a tool. */
  readonly renamedAt: (tool: Tool) => CallSite | undefined;
}

/** Names that two tools would have, so that a policy, a filter or a client that means one tool would get the other. */
export function nameCollisions(
  backends: readonly AnyBackend[],
  { named, offered, own, renamedAt }: KnownTools,
  naming: ToolNaming,
): readonly ConstructProblem[] {
  const locked = backends.flatMap(({ name: backend, locked }) =>
    (locked?.toolNames ?? []).map(name => ({ backend, name })),
  );
  const tools = distinctTools([...locked, ...named, ...offered]);
  const problem = (holders: readonly Tool[], message: string): ConstructProblem => {
    const callSite = holders.map(renamedAt).findLast(site => site !== undefined);
    return { message: `${message}: rename one of them`, ...(callSite === undefined ? {} : { callSite }) };
  };
  return [
    ...ofOneBackend(tools, naming).map(({ name, holders }) => {
      const names = holders.map(tool => `"${tool.name}"`).join(' and ');
      return problem(holders, `${names} of "${holders[0]?.backend}" would both be called "${name}"`);
    }),
    ...ofSeveral(tools, distinctTools(offered), own, naming).map(({ name, holders, isOwn }) => {
      const texts = [
        ...(isOwn ? [`"${name}" of the gateway`] : []),
        ...holders.map(tool => `"${tool.name}" of "${tool.backend}"`),
      ];
      return problem(holders, `${texts.join(' and ')} would be called "${name}"`);
    }),
  ];
}

interface Collision {
  readonly name: string;
  readonly holders: readonly Tool[];
}

/** Collisions within one backend. Hidden tools count as well, because filters and overrides use the same names. */
function ofOneBackend(tools: readonly Tool[], naming: ToolNaming): readonly Collision[] {
  const groups = Map.groupBy(tools, tool => JSON.stringify([tool.backend, naming.bare(tool)]));
  return [...groups.values()].flatMap(holders => {
    const [first] = holders;
    return first === undefined || holders.length === 1 ? [] : [{ name: naming.bare(first), holders }];
  });
}

/** Collisions between backends. If several tools have the same name and clients would see one of them, the gateway withholds all of them. */
function ofSeveral(
  tools: readonly Tool[],
  offered: readonly Tool[],
  own: readonly string[],
  naming: ToolNaming,
): readonly (Collision & { readonly isOwn: boolean })[] {
  const findName = (tool: Tool) => {
    const named = naming.tool(tool);
    return 'name' in named ? named.name : undefined;
  };
  const seen = new Set([...own, ...offered.map(findName)]);
  return [...Map.groupBy(tools, findName)].flatMap(([name, holders]) => {
    if (name === undefined || !seen.has(name)) return [];
    const isOwn = own.includes(name);
    const owners = new Set(holders.map(({ backend }) => backend)).size + (isOwn ? 1 : 0);
    return owners < 2 ? [] : [{ name, holders, isOwn }];
  });
}

/** Each tool once, sorted, so that a message does not depend on the order of statements. */
function distinctTools(tools: readonly Tool[]): readonly Tool[] {
  const distinct = new Map(tools.map(tool => [JSON.stringify([tool.backend, tool.name]), tool]));
  return [...distinct.values()].sort((a, b) => compareText(a.backend, b.backend) || compareText(a.name, b.name));
}
