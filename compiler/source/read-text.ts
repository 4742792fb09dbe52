import { expandLists } from './expand-list.ts';
import { readJson } from './read-json.ts';
import type { ReadResult } from './read-result.ts';
import { readYaml } from './read-yaml.ts';
import type { SourceText } from './source-text.ts';

/**
 * Reads the documents of one file. A name that ends in `.json` means JSON. Everything else is YAML; as in kubectl, a text that starts with a
 * brace and is valid JSON is read as JSON, which allows more than YAML does.
 */
export function readText(source: SourceText): ReadResult {
  const read = readDocuments(source);
  const expanded = expandLists(read.documents);
  const { leftOut = [] } = read;
  return { documents: expanded.documents, leftOut, diagnostics: [...read.diagnostics, ...expanded.diagnostics] };
}

function readDocuments(source: SourceText): ReadResult {
  if (/\.json$/i.test(source.file)) return readJson(source);
  if (/^\s*\{/.test(source.text)) {
    const json = readJson(source);
    if (!json.diagnostics.some(({ code }) => code === 'LNT1001')) return json;
  }
  return readYaml(source);
}
