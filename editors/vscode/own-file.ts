import { basename } from 'node:path';

const CONFIGURATION = 'lintel.yaml';

/** Matches the `apiVersion` of an object that Lintel compiles, also of ToolHive's group. */
const OURS = /(?:^|[\s{,])["']?apiVersion["']?\s*:\s*["']?(?:lintel\.dev|toolhive\.stacklok\.dev)\//m;

/** Whether a text needs the language server: a Lintel configuration, or a file with a Lintel object. */
export function isOurs(file: string, language: string, text: string): boolean {
  if (!['yaml', 'json', 'jsonc'].includes(language)) return false;
  return basename(file) === CONFIGURATION || OURS.test(text);
}
