/** Wording that all text formats of a matrix share. */
import { compareText } from '#schemas';
import {
  type Cell,
  formatServerName,
  ITEM_TYPES,
  type ItemType,
  type MatrixFindings,
  type MatrixItem,
  type ServerMatrix,
} from '../matrix.ts';

export const CELL_TEXTS: { readonly [C in Cell]: string } = { yes: 'yes', no: 'no', arguments: 'depends' };

const HIDDEN_TITLE = 'Hidden tools that workflows call';

const TITLES: { readonly [T in ItemType]: string } = {
  tool: 'Tools',
  prompt: 'Prompts',
  resource: 'Resources',
  resourceTemplate: 'Resource templates',
  registry: 'Registries',
  source: 'Entries, by registry and source',
};

/** The words in front of the name of an item, by type. */
export const ITEM_WORDS: { readonly [T in ItemType]: string } = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  resourceTemplate: 'resource template',
  registry: 'registry',
  source: 'entries of',
};

/** The name above the tables of a server. */
export function formatHeading({ kind, matrix }: MatrixFindings): string {
  return formatServerName(kind, matrix);
}

/** The text of a tool that a direct call does not reach, and that a workflow of the caller calls. */
export const WORKFLOW_TEXT = 'workflow';

/** Whether a persona reaches a tool through workflows alone. */
export function isThroughWorkflow({ access, through = {} }: MatrixItem, persona: string): boolean {
  return (access[persona] ?? 'no') === 'no' && Object.hasOwn(through, persona);
}

/** The text of a cell, the same in every table. */
export function formatCell(item: MatrixItem, persona: string): string {
  return isThroughWorkflow(item, persona) ? WORKFLOW_TEXT : CELL_TEXTS[item.access[persona] ?? 'no'];
}

/** Names the workflows of the tools that some persona reaches only through workflows, or otherwise only with certain arguments. */
function listWorkflowNotes({ items }: ServerMatrix): readonly string[] {
  return items.flatMap(({ name, access, through = {} }) => {
    const workflows = Object.keys(through).flatMap(persona =>
      access[persona] === 'yes' ? [] : (through[persona] ?? []),
    );
    if (workflows.length === 0) return [];
    return [`${name} is called by ${[...new Set(workflows)].sort(compareText).join(', ')}`];
  });
}

const WORKFLOW_NOTE = `${WORKFLOW_TEXT}: the caller may not call the tool itself, but may call a workflow that calls it`;

/** Note below a table in which a cell depends on arguments. */
export const DEPENDS_NOTE =
  'depends: the decision depends on the arguments; lists show the item, and a call without arguments is denied';

/** The note that is shown when the tool lock does not have all backends. */
export const INCOMPLETE_NOTE = 'The tool lock does not know all backends, so there may be more.';

export interface Section {
  readonly title: string;
  readonly items: readonly MatrixItem[];
}

/** One section for each item type that occurs. */
export function groupByItemType({ items }: ServerMatrix): readonly Section[] {
  const byType = Map.groupBy(items, ({ type }) => type);
  return ITEM_TYPES.flatMap(type => {
    const own = byType.get(type) ?? [];
    return [
      { title: TITLES[type], items: own.filter(({ hidden }) => hidden !== true) },
      { title: HIDDEN_TITLE, items: own.filter(({ hidden }) => hidden === true) },
    ].filter(({ items }) => items.length > 0);
  });
}

export function collectNotes({ matrix, notes }: { matrix: ServerMatrix; notes: readonly string[] }): readonly string[] {
  const workflows = listWorkflowNotes(matrix);
  const isReached = matrix.items.some(item => Object.keys(item.access).some(value => isThroughWorkflow(item, value)));
  const depends = matrix.items.some(({ access }) => Object.values(access).includes('arguments'));
  return [
    ...(depends ? [DEPENDS_NOTE] : []),
    ...(isReached ? [WORKFLOW_NOTE] : []),
    ...workflows,
    ...(matrix.complete ? [] : [INCOMPLETE_NOTE]),
    ...notes,
  ];
}
