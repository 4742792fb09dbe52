import type { Diagnostic, Severity } from '../diagnostic.ts';
import { printable } from './printable.ts';
import { formatAdvice, formatProvenance, type Rendering } from './rendering.ts';
import { lockNote } from './summary.ts';

/** Annotations of one level that GitHub keeps for a step; it drops the rest without a word. */
const MAX_ANNOTATIONS = 10;

const COMMANDS: { readonly [S in Severity]: string } = { error: 'error', warning: 'warning', hint: 'notice' };

/**
 * Workflow commands, which GitHub turns into annotations: errors first, then warnings, then hints as notices, at most ten of
 * each. One line at the end, itself a notice, counts what goes beyond. Empty without findings.
 *
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function renderGithub({ findings, checked, all = false }: Rendering): string {
  const { diagnostics, counts } = findings;
  const note = lockNote(findings, checked, all);
  // A notice too, and GitHub keeps ten of them.
  const room = MAX_ANNOTATIONS - (note === undefined ? 0 : 1);
  const of = (severity: Severity) => diagnostics.filter(found => found.severity === severity);
  const total = counts.error + counts.warning + counts.hint;
  const heavy = [...of('error').slice(0, MAX_ANNOTATIONS), ...of('warning').slice(0, MAX_ANNOTATIONS)];
  const hints = of('hint').slice(0, room);
  const fits = heavy.length + hints.length === total;
  // The overflow line takes the place of a notice.
  const shown = [...heavy, ...(fits ? hints : hints.slice(0, room - 1))];
  const rest = total - shown.length;
  const lines = [
    ...shown.map(annotation),
    ...(note === undefined ? [] : [notice(note)]),
    ...(fits ? [] : [overflow(rest)]),
  ];
  return lines.map(line => `${line}\n`).join('');
}

function annotation(found: Diagnostic): string {
  const { start, end } = found.range;
  const properties = {
    file: found.file,
    line: start.line,
    endLine: end.line,
    // GitHub refuses columns of a range over several lines.
    ...(end.line === start.line && { col: start.column, endColumn: end.column }),
    title: `${found.code} ${found.name}`,
  };
  const advice = formatAdvice(found);
  const text = [found.message, ...(advice === undefined ? [] : [advice]), ...formatProvenance(found)].join('\n');
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${COMMANDS[found.severity]} ${list.join(',')}::${escapeData(text)}`;
}

function overflow(count: number): string {
  const findings = count === 1 ? '1 more finding has' : `${count} more findings have`;
  const text = `${findings} no annotation: GitHub shows ${MAX_ANNOTATIONS} of each level. Another --format lists all of them`;
  return notice(text);
}

/** About no place in particular. */
function notice(text: string): string {
  return `::notice title=${escapeProperty('Lintel')}::${escapeData(text)}`;
}

/** @see https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
function escapeData(text: string): string {
  // Line breaks have an escape of their own; other signs that move a terminal's cursor are made visible.
  const visible = text.replace(/[^\r\n]+/g, printable);
  return visible.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
