/** Variables for folders that clients themselves define, such as `${workspaceFolder}`. */
import { homedir } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';

/** The folder that an editor or Claude Code has open. `lintel dev` is started in the same folder. */
const WORKSPACE = /\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR(?::-\.)?)\}/g;

const HOME = /\$\{(?:userHome|(?:env:)?HOME)\}/g;

const SEPARATOR = /\$\{(?:pathSeparator|\/)\}/g;

/**
 * Replaces the variables in all texts of a server's entry. The open folder becomes a relative path, so that specs also work in another clone:
 * relative to the folder of the gateway in `cwd`, and otherwise to the folder in which the program runs.
 */
export function resolveFolders(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const cwd = typeof entry.cwd === 'string' ? fillIn(entry.cwd, '.') : '.';
  const isElsewhere = isAbsolute(cwd) || /^(?:~|[A-Za-z]:)/.test(cwd);
  const workspace = isElsewhere ? process.cwd() : relative(cwd, '.') || '.';
  const filled = mapTexts(entry, text => fillIn(text, workspace)) as Readonly<Record<string, unknown>>;
  return typeof entry.cwd === 'string' ? { ...filled, cwd } : filled;
}

function fillIn(text: string, workspace: string): string {
  return text
    .replace(WORKSPACE, () => workspace)
    .replace(HOME, () => homedir())
    .replace(SEPARATOR, () => sep);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  const escaped = (text: string) => JSON.stringify(change(JSON.parse(text)));
  // Strings of JSON, also those with escaped quotes.
  return JSON.parse(JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, escaped));
}
