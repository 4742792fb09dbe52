import { compareText } from '#schemas';
import { isCoveredBy } from '../caller-sets.ts';
import type { AskedFirst, ExposedTool, Exposure, Who } from '../exposure.ts';
import { formatWho } from '../format-who.ts';
import { type Cell, type Column, renderHints, renderWho, type Section, toCell } from './section.ts';
import { formatCount } from './words.ts';

const TOOL_COLUMNS: readonly Column[] = [
  { name: 'name' },
  { name: 'backend' },
  { name: 'its name' },
  { name: 'hints' },
];
const STAR = '* set by an override';

export function renderTools({ tools, composites, totals }: Exposure): Section {
  const advertised = tools.filter(({ visibility }) => visibility === 'advertised');
  const rows = [
    ...advertised.map(tool => ({
      ...renderToolCells(tool),
      tokens: tool.tokens,
      direct: tool.direct,
      name: tool.name,
    })),
    ...composites.map(({ name, hints, tokens, direct }) => ({
      cells: [toCell(name), toCell('(workflow)', 'dim'), toCell(''), renderHints(hints)],
      tokens,
      direct,
      name,
    })),
  ].sort((a, b) => compareText(a.name, b.name));
  return {
    title: `Tools: ${totals.listed} listed, about ${formatCount(totals.tokens, 'token')}`,
    head: [...TOOL_COLUMNS, { name: 'tokens', align: 'right' }, { name: 'who' }],
    rows: rows.map(({ cells, tokens, direct }) => [...cells, toCell(String(tokens)), renderWho(direct)]),
    ...renderStarNote(rows.map(({ cells }) => cells)),
  };
}

/** Shows the path of every tool that callers reach other than by its own name. */
export function renderWorkflowPaths({ tools, composites }: Exposure): Section {
  const byName = new Map(tools.map(tool => [tool.name, tool]));
  const rows = composites.flatMap(({ name, direct, calls }) =>
    calls.map(({ step, reference, tool, asks = [] }) => {
      const target = tool === null ? undefined : byName.get(tool);
      const path = toCell([name, ...asks.map(askText), step, tool ?? reference].join(' → '));
      if (target === undefined) return [path, toCell('?', 'dim'), toCell('unknown tool', 'dim'), renderWho(direct)];
      return [path, renderHints(target.hints), renderDirectCallers(target, direct), renderWho(direct)];
    }),
  );
  return {
    title: 'Reached through workflows',
    head: [{ name: 'path' }, { name: 'hints' }, { name: 'directly' }, { name: 'callers on this path' }],
    rows,
  };
}

/** A question as text. Only the caller is ever asked: a question goes to the client that called the workflow. */
function askText({ step, isOptional }: AskedFirst): string {
  return `asks the caller (${step}${isOptional ? ', and may go on without a yes' : ''})`;
}

function renderDirectCallers({ visibility, direct }: ExposedTool, through: Who): Cell {
  const text = visibility === 'hidden' ? 'hidden' : formatWho(direct);
  return isCoveredBy(through, direct) ? toCell(text) : toCell(text, 'warn');
}

export function renderHiddenTools({ tools }: Exposure): Section {
  const hidden = tools.filter(({ visibility }) => visibility === 'hidden');
  const rows = hidden.map(tool => [
    ...renderToolCells(tool).cells,
    tool.through.length === 0 ? toCell('nobody') : renderWho(tool.reach),
  ]);
  return {
    title: `Hidden tools: ${hidden.length}`,
    head: [...TOOL_COLUMNS, { name: 'callers through workflows' }],
    rows,
    ...renderStarNote(rows),
  };
}

function renderToolCells({ name, backend, originalName, hints }: ExposedTool): { readonly cells: readonly Cell[] } {
  const own = originalName === name ? '' : originalName;
  return { cells: [toCell(name), toCell(backend), toCell(own), renderHints(hints)] };
}

function renderStarNote(rows: readonly (readonly Cell[])[]): { readonly note?: string } {
  return rows.some(cells => cells[3]?.text.includes('*')) ? { note: STAR } : {};
}
