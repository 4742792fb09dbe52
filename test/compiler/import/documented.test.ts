/** The table in `docs/import.md` lists exactly what `lintel import` reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMS, readImportedFile } from '../../../compiler/import/index.ts';
import { ROOT } from '../../support/process.ts';
import { FILES } from './imported.ts';

interface Row {
  readonly form: string;
  readonly carried: readonly string[];
  readonly lost: readonly string[];
}

const ROWS: readonly Row[] = readFileSync(join(ROOT, 'docs/import.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => {
    const [, form = '', , carried = '', lost = ''] =
      line.split(' | ').length === 4 ? ['', ...line.slice(2).split(' | ')] : [];
    return { form: form.replaceAll('`', ''), carried: members(carried), lost: members(lost) };
  });

/** The texts between backticks in a cell. */
function members(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

const SOURCES = readdirSync(join(ROOT, 'compiler/import/forms'))
  .map(file => readFileSync(join(ROOT, 'compiler/import/forms', file), 'utf8'))
  .join('\n');

test('docs/import.md has a row for each file format that lintel import reads, and for no other', () => {
  const named = [...SOURCES.matchAll(/\bform(?:: | = )(?:'([^']+)'|"([^"]+)")/g)].map(([, one, other]) => one ?? other);
  const ofVsCode = [...SOURCES.matchAll(/isVsCode \? '([^']+)' : '([^']+)'/g)].flatMap(([, ...forms]) => forms);
  const documented = new Set([...ROWS.map(({ form }) => form), 'objects of Kubernetes']);
  expect(new Set([...named, ...ofVsCode])).toEqual(documented);
});

test('the test files of lintel import cover all documented formats', () => {
  const read = readdirSync(FILES).flatMap(name => readImportedFile(join(FILES, name)).map(({ form }) => form));
  for (const { form } of ROWS) expect(read).toContain(form);
});

test('docs/import.md lists every member that lintel import does not carry over', () => {
  const documented = new Set(ROWS.flatMap(({ lost }) => lost));
  for (const { lost = {} } of FORMS) for (const member of Object.keys(lost)) expect(documented).toContain(member);
});

/** Words in the tables of docs/import.md that are not names of members. */
const OTHERS = new Set([
  'docker run',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
  '${input:…}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
  ...['${workspaceFolder}', '${CLAUDE_PROJECT_DIR}', '${userHome}', '${HOME}'],
  'lintel dev',
  'snake_case',
  'v1beta1',
  'mcp.targets',
  'process.inheritEnv',
  'backends',
  'objects of Kubernetes',
]);

test('lintel import reads every member that docs/import.md names', () => {
  const names = ROWS.flatMap(({ carried, lost }) => [...carried, ...lost]).filter(name => !OTHERS.has(name));
  expect(names.length).toBeGreaterThan(60);
  for (const name of new Set(names)) expect(SOURCES, name).toMatch(new RegExp(`(?<![\\w-])${name}(?![\\w-])`));
});
