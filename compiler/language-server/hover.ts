import type { Hover } from 'vscode-languageserver';
import { CODES } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listFieldFacts } from '../explain/explain-field.ts';
import { type FieldLocation, findFieldAt } from '../explain/find-field.ts';
import { findCodePage, findFieldPage } from '../explain/pages.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import type { SourceText } from '../source/source-text.ts';
import type { EditedProject } from './edited-project.ts';
import { locateNode } from './locate-node.ts';
import { toLspRange } from './positions.ts';

/** The text of `lintel explain` about the field and the findings at an offset. */
export function computeHover(project: EditedProject, source: SourceText, offset: number): Hover | null {
  const node = locateNode(source.file, source.text, offset);
  const field = node && findFieldAt(node.kind, node.path);
  const found = project
    .listFindings()
    .filter(diagnostic => diagnostic.file === source.file && covers(diagnostic, offset));
  const site = resolveSiteAddress(project.getCompiled().project.documentation);
  const parts = [
    ...found.map(diagnostic => formatFinding(diagnostic, site)),
    ...(field === undefined ? [] : [formatField(field, site)]),
  ];
  if (parts.length === 0) return null;
  return {
    contents: { kind: 'markdown', value: [...new Set(parts)].join('\n\n---\n\n') },
    ...(node && { range: toLspRange(source, source.range(node.start, node.end)) }),
  };
}

function covers({ range: { start, end } }: Diagnostic, offset: number): boolean {
  return start.offset <= offset && offset <= end.offset;
}

function formatFinding({ code }: Diagnostic, site: string | undefined): string {
  const { name, meaning, fix } = CODES[code];
  return `**${code}** ${name}\n\n${meaning}\n\nWhat to do: ${fix}.${formatMore(code, findCodePage(code, site))}`;
}

function formatField(field: FieldLocation, site: string | undefined): string {
  const { description = '' } = field.schema;
  const lines = listFieldFacts(field).map(([name, value]) => `- ${name}: \`${value}\``);
  return [
    `**${field.path}**`,
    ...(description === '' ? [] : [description]),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ]
    .join('\n\n')
    .concat(formatMore(field.path, findFieldPage(field, site)));
}

function formatMore(about: string, page: string | undefined): string {
  return page === undefined ? '' : `\n\n[More about ${about}](${page})`;
}
