/** A graph of caller → workflow → tool → backend → credential in columns. Items with the same edges share a node. */

import { isCoveredBy } from '../../caller-sets.ts';
import type { ExposedTool, Exposure, Who } from '../../exposure.ts';
import { formatWho } from '../../format-who.ts';
import { toReportHints } from '../../report-hints.ts';
import { describeCredentials, formatHints } from '../words.ts';

export const COLUMNS = ['who', 'workflow', 'tool', 'backend', 'credential'] as const;

export type Column = (typeof COLUMNS)[number];

export interface GraphNode {
  readonly id: string;
  readonly column: Column;
  readonly label: string;
  /** The full text of everything that the node represents. */
  readonly detail: string;
  readonly isMarked: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * Whether the node deserves a look: a workflow that grants more than the tool's own name does, or a path to a tool that may destroy
   * something.
   */
  readonly isMarked: boolean;
  /** Whether the edge leads through a workflow step. */
  readonly isThrough: boolean;
}

export interface AccessGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The graph of everything that callers reach. */
export function buildAccessGraph({ tools, composites, backends }: Exposure): AccessGraph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const node = (column: Column, key: string, label: string, detail: string, isMarked = false): string => {
    const id = `${column} ${key}`;
    nodes.set(id, { id, column, label, detail, isMarked: isMarked || nodes.get(id)?.isMarked === true });
    return id;
  };
  const edge = (from: string, to: string, isMarked = false, isThrough = false): void => {
    edges.set(`${from}\n${to}`, { from, to, isMarked, isThrough });
  };
  const whoNode = (who: Who) => node('who', formatWho(who), formatWho(who), formatWho(who));

  const open = tools.filter(({ reach }) => reach.type !== 'nobody');
  for (const group of Map.groupBy(open, formatWays).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const isGrave = mayDestroy(first);
    const more = group.length === 1 ? '' : ` and ${group.length - 1} more`;
    const detail = `${group.map(({ name }) => name).join(', ')}: ${formatHints(first.hints)}`;
    const tool = node('tool', first.name, `${first.name}${more}`, detail, isGrave);
    if (first.visibility === 'advertised' && first.direct.type !== 'nobody')
      edge(whoNode(first.direct), tool, isGrave && first.direct.type === 'everyone');
    for (const { composite, who } of first.through) {
      if (who.type === 'nobody') continue;
      const isIndirect = first.visibility === 'hidden' || !isCoveredBy(who, first.direct);
      edge(node('workflow', composite, composite, `workflow ${composite}`), tool, isIndirect, true);
    }
    edge(tool, node('backend', first.backend, first.backend, `backend ${first.backend}`));
  }
  for (const { name, direct } of composites)
    if (direct.type !== 'nobody') edge(whoNode(direct), node('workflow', name, name, `workflow ${name}`));
  for (const backend of backends) {
    const { name, url } = backend;
    if (!nodes.has(`backend ${name}`)) continue;
    for (const { credential, as, details, short } of describeCredentials(backend)) {
      // A server's own credential gets a node of its own, because no other backend has the same one.
      const label =
        as === 'server'
          ? `its own: ${name}`
          : as === 'nobody'
            ? 'no credential'
            : [`${credential}, as ${as}`, short].filter(text => text !== '').join(': ');
      const detail = details === '' ? label : `${label}: ${details}`;
      edge(node('backend', name, name, `backend ${name} at ${url}`), node('credential', detail, label, detail));
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** Tools with equal keys share one node. */
function formatWays({ backend, visibility, direct, through, hints }: ExposedTool): string {
  const ways = through.map(({ composite, who }) => [composite, formatWho(who)]);
  return JSON.stringify([backend, visibility, formatWho(direct), ways, formatHints(hints)]);
}

function mayDestroy({ hints }: ExposedTool): boolean {
  const { readOnlyHint, destructiveHint } = toReportHints(hints);
  return readOnlyHint?.value !== true && destructiveHint?.value !== false;
}
