/** The valid specs that are mutated: those in `specs/`, and some of them with Windows line breaks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BaseSpec {
  readonly title: string;
  /** Its extension decides how the text is parsed: `.json` means JSON. */
  readonly file: string;
  readonly text: string;
}

const FOLDER = join(import.meta.dirname, 'specs');
/** Generated here, because Git and editors may change the line breaks of files. */
const ALSO_WITH_CRLF = ['sign-in.yaml', 'workflows.yaml'];

const asWritten: readonly BaseSpec[] = readdirSync(FOLDER)
  .sort()
  .map(file => ({ title: file, file, text: readFileSync(join(FOLDER, file), 'utf8').replaceAll('\r\n', '\n') }));

const withCrlf = asWritten
  .filter(({ file }) => ALSO_WITH_CRLF.includes(file))
  .map(spec => ({ ...spec, title: `${spec.file} with CRLF`, text: spec.text.replaceAll('\n', '\r\n') }));

export const BASE_SPECS: readonly BaseSpec[] = [...asWritten, ...withCrlf];
