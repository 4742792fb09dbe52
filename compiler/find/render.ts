import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import type { FoundTool, FoundTools } from './found-tools.ts';

export const FIND_FORMATS = ['text', 'json'] as const;

export type FindFormat = (typeof FIND_FORMATS)[number];

export const FIND_RENDERERS: Readonly<Record<FindFormat, (found: FoundTools) => string>> = {
  text: renderText,
  json: found => formatJson({ formatVersion: 1, ...found }),
};

/** Maximum length of a description in characters: enough to tell tools apart on one line. */
const MAX_DESCRIPTION = 100;

function renderText({ gateway, query, search, searched, isComplete, tools, savedPercent }: FoundTools): string {
  const ways = { keyword: 'by keywords', semantic: 'by meaning', hybrid: 'by keywords and meaning' } as const;
  const counted = `${searched} ${searched === 1 ? 'tool' : 'tools'} of ${gateway.namespace}/${gateway.name}`;
  const head =
    tools.length === 0
      ? `nothing found for "${query}" among ${counted} ${ways[search]}`
      : `"${query}" among ${counted} ${ways[search]}, saving ${savedPercent} % of their tokens`;
  const notes = isComplete ? [] : ['note: the tool lock does not know all backends: run `lintel lock`'];
  return [head, ...tools.map(formatLine), ...notes].map(text => `${escapeUnprintable(text)}\n`).join('');
}

function formatLine({ name, backend, description }: FoundTool, at: number): string {
  const whole = description.replace(/\s+/g, ' ').trim();
  const short = whole.length > MAX_DESCRIPTION ? `${whole.slice(0, MAX_DESCRIPTION - 1)}…` : whole;
  return `  ${at + 1}. ${name} (${backend ?? 'workflow'})${short === '' ? '' : `: ${short}`}`;
}
