import { basename } from 'node:path';

const CONFIGURATION = 'lintel.yaml';

/** The groups of our objects, ToolHive's among them. */
const OURS = /(?:^|[\s{,])["']?apiVersion["']?\s*:\s*["']?(?:lintel\.dev|toolhive\.stacklok\.dev)\//m;

/** Whether a text is worth a language server: a configuration of ours, or a file with an object of ours. */
export function isOurs(file: string, language: string, text: string): boolean {
  if (!['yaml', 'json', 'jsonc'].includes(language)) return false;
  return basename(file) === CONFIGURATION || OURS.test(text);
}
