import { AREAS, areaOf, CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import { PROJECT_FILE } from '../project/find-project-file.ts';
import { EXPLAINED } from './field-place.ts';
import { columns, titled } from './layout.ts';

/** All that can be explained: the kinds, and the codes by their areas. */
export function listTopics(): string {
  const codes = Object.keys(CODES) as DiagnosticCode[];
  const areas = Object.entries(AREAS).flatMap(([digit, area]) => {
    const list = codes
      .filter(code => areaOf(code) === area)
      .map(code => [code, CODES[code].severity, CODES[code].name]);
    return list.length === 0 ? [] : titled(`${area} (${digit}xxx)`, columns(list));
  });
  return `${[
    'lintel explain <kind>, lintel explain <kind>.<field>.<field> or lintel explain <code>',
    ...titled('kinds', columns(EXPLAINED.map(kind => [kind]))),
    ...titled('configuration', columns([[PROJECT_FILE]])),
    ...areas,
  ].join('\n\n')}\n`;
}
