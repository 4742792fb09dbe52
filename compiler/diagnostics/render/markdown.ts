import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';
import { capFindings } from './cap-findings.ts';
import { escapeUnprintable } from './printable.ts';
import { formatAdvice, formatProvenance, type Rendering } from './rendering.ts';
import { formatSummaryLine, lockNote, openNote } from './summary.ts';

/** GitHub refuses comments above 65,536 characters; the limit leaves room for a bot's own text. */
const MAX_CHARACTERS = 60_000;

const TITLES: { readonly [S in Severity]: string } = { error: 'Errors', warning: 'Warnings', hint: 'Hints' };

/**
 * A pull request comment: the summary, then one table per severity. Findings that would exceed the maximum length are counted. Text from specs
 * is escaped: it opens no tag, link, mention or code.
 */
export function renderMarkdown({ findings, checked, all = false, findPage }: Rendering): string {
  const summary = `**Lintel**: ${escapeMarkdown(formatSummaryLine(findings, checked))}\n`;
  const parts: string[] = [summary];
  let length = summary.length;
  const { shown, rest } = capFindings(findings.diagnostics, all);
  let remaining = findings.omitted.reduce((sum, { count }) => sum + count, 0);
  for (const severity of ['error', 'warning', 'hint'] as const) {
    const list = shown.filter(found => found.severity === severity);
    if (list.length === 0) continue;
    const rows: string[] = [];
    for (const text of list.map(found => formatRow(found, findPage?.(found.code)))) {
      length += text.length;
      if (length > MAX_CHARACTERS) remaining += 1;
      else rows.push(text);
    }
    if (rows.length > 0)
      parts.push(`\n### ${TITLES[severity]}\n\n| Where | Code | Finding |\n|---|---|---|\n${rows.join('')}`);
  }
  if (rest.length > 0) parts.push(`\n${rest.map(line => `- ${escapeMarkdown(line)}\n`).join('')}`);
  for (const note of [openNote(checked), lockNote(findings, checked, all)])
    if (note !== undefined) parts.push(`\n${escapeMarkdown(note)}\n`);
  if (remaining > 0) parts.push(`\n${remaining} ${remaining === 1 ? 'finding is' : 'findings are'} not listed here.\n`);
  return parts.join('');
}

/** @param page address of the code's page */
function formatRow(found: Diagnostic, page: string | undefined): string {
  const { file, range, code, name, message } = found;
  const advice = formatAdvice(found);
  const where = escapeMarkdown(`${file}:${range.start.line}:${range.start.column}`);
  const text = [message, ...(advice === undefined ? [] : [advice]), ...formatProvenance(found)]
    .map(escapeMarkdown)
    .join('<br>');
  return `| ${where} | ${page === undefined ? code : `[${code}](${page})`} ${name} | ${text} |\n`;
}

/** Special characters of Markdown and HTML, and characters that GitHub and GitLab turn into links: addresses, people, teams, issues. */
const ESCAPES = /[\\`*_[\]|~$<>&@]|#(?=\d)|:(?=\/\/)|(?<=\bwww)\./gi;

const REFERENCES: { readonly [char: string]: string } = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  ':': '&#58;',
  '.': '&#46;',
  // GitHub looks for these in the rendered text, so a zero-width space splits them.
  '@': '@&#8203;',
  '#': '#&#8203;',
};

/** Escapes text so that Markdown shows it literally. */
export function escapeMarkdown(text: string): string {
  return escapeUnprintable(text).replace(ESCAPES, char => REFERENCES[char] ?? `\\${char}`);
}
