import { AREAS, CODES, type DiagnosticCode, getArea } from '../diagnostics/codes.ts';
import { EXPLAINED, EXPLAINED_FILES, locateRoot } from './find-field.ts';
import { alignColumns, formatTitled, indentText, takeFirstSentence, wrapParagraph } from './layout.ts';

/** All topics: the kinds and files, and the codes by area. */
export function listTopics(): string {
  const codes = Object.keys(CODES) as DiagnosticCode[];
  const areas = Object.entries(AREAS).flatMap(([digit, area]) => {
    const list = codes
      .filter(code => getArea(code) === area)
      .map(code => [code, CODES[code].severity, CODES[code].name]);
    return list.length === 0 ? [] : formatTitled(`${area} (${digit}xxx)`, alignColumns(list));
  });
  return `${[
    'lintel explain <kind>, lintel explain <kind>.<field>.<field> or lintel explain <code>',
    ...formatTitled('kinds', formatDescribed(EXPLAINED)),
    ...formatTitled('files', formatDescribed(EXPLAINED_FILES)),
    ...areas,
  ].join('\n\n')}\n`;
}

function formatDescribed(names: readonly string[]): string {
  return names
    .map(
      name =>
        `${indentText(name)}\n${wrapParagraph(takeFirstSentence(locateRoot(name).schema.description ?? ''), '      ')}`,
    )
    .join('\n');
}
