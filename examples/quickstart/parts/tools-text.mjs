/** Formats tools as text for a terminal. */
import { styleText } from 'node:util';

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */

const HEAD = { name: 'name', backend: 'backend', description: 'description' };

/** Width of the table in columns if standard output is not a terminal. */
const PLAIN_WIDTH = 120;

/**
 * One line for each tool.
 *
 * @param {Tool[]} tools
 * @param {string[]} backends
 */
export function toolTable(tools, backends) {
  const rows = tools.map(({ name, description = '' }) => ({ name, backend: backendOf(name, backends), description }));
  const width = column => Math.max(...[HEAD, ...rows].map(row => row[column].length));
  const [names, owners] = [width('name'), width('backend')];
  const room = Math.max(20, (process.stdout.columns ?? PLAIN_WIDTH) - names - owners - 6);
  const line = ({ name, backend, description }) =>
    `  ${name.padEnd(names)}  ${backend.padEnd(owners)}  ${shortened(description, room)}`;
  return [styleText('bold', line(HEAD)), ...rows.map(line)].join('\n');
}

/**
 * The differences between two lists of tools, one line for each tool that was added, removed or changed; empty without a difference.
 *
 * @param {Tool[]} before
 * @param {Tool[]} after
 */
export function toolChanges(before, after) {
  const old = new Map(before.map(tool => [tool.name, tool]));
  const now = new Map(after.map(tool => [tool.name, tool]));
  const differs = tool => old.has(tool.name) && JSON.stringify(old.get(tool.name)) !== JSON.stringify(tool);
  return [
    ...before.filter(({ name }) => !now.has(name)).map(({ name }) => styleText('red', `  - ${name}`)),
    ...after.filter(({ name }) => !old.has(name)).map(({ name }) => styleText('green', `  + ${name}`)),
    ...after.filter(differs).map(({ name, description }) => styleText('yellow', `  ~ ${name}: ${description ?? ''}`)),
  ].join('\n');
}

/** The backend of a tool. The spec's `prefixFormat` puts the backend into the name of each tool: `notes_search` is `search` of `notes`. */
export function backendOf(name, backends) {
  return backends.find(backend => name.includes(backend)) ?? '?';
}

function shortened(text, length) {
  const [line] = text.split('\n');
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
