import { compareText } from '#schemas';
import type { AskedFirst, ExposedTool, Exposure, Who } from '../exposure.ts';
import { isCoveredBy } from '../who.ts';
import { whoText } from '../who-text.ts';
import { type Cell, type Column, cell, hintsCell, type Section, whoCell } from './section.ts';
import { counted } from './words.ts';

const TOOL_COLUMNS: readonly Column[] = [
  { name: 'name' },
  { name: 'backend' },
  { name: 'its name' },
  { name: 'hints' },
];
const STAR = '* set by an override';

export function tools({ tools, composites, totals }: Exposure): Section {
  const advertised = tools.filter(({ visibility }) => visibility === 'advertised');
  const rows = [
    ...advertised.map(tool => ({ ...toolCells(tool), tokens: tool.tokens, direct: tool.direct, name: tool.name })),
    ...composites.map(({ name, hints, tokens, direct }) => ({
      cells: [cell(name), cell('(workflow)', 'dim'), cell(''), hintsCell(hints)],
      tokens,
      direct,
      name,
    })),
  ].sort((a, b) => compareText(a.name, b.name));
  return {
    title: `Tools: ${totals.listed} listed, about ${counted(totals.tokens, 'token')}`,
    head: [...TOOL_COLUMNS, { name: 'tokens', align: 'right' }, { name: 'who' }],
    rows: rows.map(({ cells, tokens, direct }) => [...cells, cell(String(tokens)), whoCell(direct)]),
    ...starNote(rows.map(({ cells }) => cells)),
  };
}

/** Shows the path of every tool that callers reach other than by its own name. */
export function workflowPaths({ tools, composites }: Exposure): Section {
  const byName = new Map(tools.map(tool => [tool.name, tool]));
  const rows = composites.flatMap(({ name, direct, calls }) =>
    calls.map(({ step, reference, tool, asks = [] }) => {
      const target = tool === null ? undefined : byName.get(tool);
      const path = cell([name, ...asks.map(askText), step, tool ?? reference].join(' → '));
      if (target === undefined) return [path, cell('?', 'dim'), cell('unknown tool', 'dim'), whoCell(direct)];
      return [path, hintsCell(target.hints), directlyCell(target, direct), whoCell(direct)];
    }),
  );
  return {
    title: 'Reached through workflows',
    head: [{ name: 'path' }, { name: 'hints' }, { name: 'directly' }, { name: 'who, this way' }],
    rows,
  };
}

/** Only the caller is ever asked: a question goes to the client that called the workflow. */
function askText({ step, isOptional }: AskedFirst): string {
  return `asks the caller (${step}${isOptional ? ', and may go on without a yes' : ''})`;
}

function directlyCell({ visibility, direct }: ExposedTool, through: Who): Cell {
  const text = visibility === 'hidden' ? 'hidden' : whoText(direct);
  return isCoveredBy(through, direct) ? cell(text) : cell(text, 'warn');
}

export function hiddenTools({ tools }: Exposure): Section {
  const hidden = tools.filter(({ visibility }) => visibility === 'hidden');
  const rows = hidden.map(tool => [
    ...toolCells(tool).cells,
    tool.through.length === 0 ? cell('nobody') : whoCell(tool.reach),
  ]);
  return {
    title: `Hidden tools: ${hidden.length}`,
    head: [...TOOL_COLUMNS, { name: 'who, through workflows' }],
    rows,
    ...starNote(rows),
  };
}

function toolCells({ name, backend, originalName, hints }: ExposedTool): { readonly cells: readonly Cell[] } {
  const own = originalName === name ? '' : originalName;
  return { cells: [cell(name), cell(backend), cell(own), hintsCell(hints)] };
}

function starNote(rows: readonly (readonly Cell[])[]): { readonly note?: string } {
  return rows.some(cells => cells[3]?.text.includes('*')) ? { note: STAR } : {};
}
