import { styleText } from 'node:util';
import { escapeMarkdown } from '../../../diagnostics/render/markdown.ts';
import type { CatalogDiff } from './change.ts';
import { type Mark, type OutlineLine, outlineDiff } from './outline.ts';

const COLORS: { readonly [M in Mark]: 'green' | 'red' | 'yellow' | undefined } = {
  '+': 'green',
  '-': 'red',
  '~': undefined,
  '!': 'yellow',
};

/** The diff for a terminal, one indented line for each change; empty when nothing changed. */
export function renderDiffText({ backends }: CatalogDiff, { color }: { readonly color: boolean }): string {
  const paint = ({ depth, mark, text }: OutlineLine) => {
    const line = `${'    '.repeat(depth)}${mark} ${text}`;
    const style = COLORS[mark];
    return color && style !== undefined ? styleText(style, line, { validateStream: false }) : line;
  };
  return backends.map(diff => `${outlineDiff(diff).map(paint).join('\n')}\n`).join('\n');
}

/**
 * The diff for a pull request.
 * @param notAsked one sentence for each backend that did not answer, and so may differ
 */
export function renderDiffMarkdown({ backends }: CatalogDiff, notAsked: readonly string[]): string {
  const known = backends.length === 0 ? 'no difference' : formatCount(backends.length);
  const title = notAsked.length === 0 ? known : `${known} among the backends that answered; not every backend answered`;
  const parts = backends.map(diff => {
    const [head, ...lines] = outlineDiff(diff);
    const items = lines.map(
      ({ depth, mark, text }) => `${'  '.repeat(depth - 1)}- ${WORDS[mark]}${escapeMarkdown(text)}\n`,
    );
    return `\n### ${WORDS[head?.mark ?? '~']}${escapeMarkdown(head?.text ?? '')}\n${items.length > 0 ? '\n' : ''}${items.join('')}`;
  });
  const unknown = notAsked.map(sentence => `- ${escapeMarkdown(sentence)}\n`);
  const head = unknown.length === 0 ? '' : `\n### Backends that did not answer\n\n${unknown.join('')}`;
  return `**Lintel, tool lock**: ${title}\n${head}${parts.join('')}`;
}

const WORDS: { readonly [M in Mark]: string } = { '+': 'added: ', '-': 'removed: ', '~': '', '!': '**look twice**: ' };

function formatCount(backends: number): string {
  return backends === 1 ? 'one backend differs' : `${backends} backends differ`;
}
