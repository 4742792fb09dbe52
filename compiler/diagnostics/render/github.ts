import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';
import { escapeUnprintable } from './printable.ts';
import { formatAdvice, formatProvenance, type Rendering } from './rendering.ts';
import { lockNote } from './summary.ts';

/** GitHub keeps this many annotations of each level for a step, and silently drops the rest. */
const MAX_ANNOTATIONS = 10;

const COMMANDS: { readonly [S in Severity]: string } = { error: 'error', warning: 'warning', hint: 'notice' };

/**
 * Workflow commands, which GitHub turns into annotations: errors first, then warnings, then hints as notices, at most ten of each. A last notice
 * counts the rest. Empty without findings.
 *
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function renderGithub({ findings, checked, all = false }: Rendering): string {
  const { diagnostics, counts } = findings;
  const note = lockNote(findings, checked, all);
  // The summary is a notice too, and counts towards GitHub's limit of ten.
  const room = MAX_ANNOTATIONS - (note === undefined ? 0 : 1);
  const of = (severity: Severity) => diagnostics.filter(found => found.severity === severity);
  const total = counts.error + counts.warning + counts.hint;
  const heavy = [...of('error').slice(0, MAX_ANNOTATIONS), ...of('warning').slice(0, MAX_ANNOTATIONS)];
  const hints = of('hint').slice(0, room);
  const fits = heavy.length + hints.length === total;
  // The notice about omitted findings replaces one of the notices.
  const shown = [...heavy, ...(fits ? hints : hints.slice(0, room - 1))];
  const rest = total - shown.length;
  const lines = [
    ...shown.map(formatAnnotation),
    ...(note === undefined ? [] : [notice(note)]),
    ...(fits ? [] : [formatOverflow(rest)]),
  ];
  return lines.map(line => `${line}\n`).join('');
}

function formatAnnotation(found: Diagnostic): string {
  const { start, end } = found.range;
  const properties = {
    file: found.file,
    line: start.line,
    endLine: end.line,
    // GitHub refuses columns for a range of several lines.
    ...(end.line === start.line && { col: start.column, endColumn: end.column }),
    title: `${found.code} ${found.name}`,
  };
  const advice = formatAdvice(found);
  const text = [found.message, ...(advice === undefined ? [] : [advice]), ...formatProvenance(found)].join('\n');
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${COMMANDS[found.severity]} ${list.join(',')}::${escapeData(text)}`;
}

function formatOverflow(count: number): string {
  const findings = count === 1 ? '1 more finding has' : `${count} more findings have`;
  const text = `${findings} no annotation: GitHub shows ${MAX_ANNOTATIONS} of each level. Another --format lists all of them`;
  return notice(text);
}

/** A notice without a location. */
function notice(text: string): string {
  return `::notice title=${escapeProperty('Lintel')}::${escapeData(text)}`;
}

/** @see https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
function escapeData(text: string): string {
  // Line breaks are escaped by the format itself; other control characters are made visible.
  const visible = text.replace(/[^\r\n]+/g, escapeUnprintable);
  return visible.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
