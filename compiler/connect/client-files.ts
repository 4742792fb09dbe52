/** Files in which clients store their servers. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findConfigFolder, KNOWN_CLIENTS } from './clients.ts';

export interface ClientFile {
  readonly client: string;
  readonly path: string;
}

/** Client files in a project; files shared by its developers come first. */
export function listClientFiles(folder: string): readonly ClientFile[] {
  return [
    { client: 'Claude Code', path: join(folder, '.mcp.json') },
    { client: 'Cursor', path: join(folder, '.cursor', 'mcp.json') },
    { client: 'VS Code', path: join(folder, '.vscode', 'mcp.json') },
    { client: 'Codex', path: join(folder, '.codex', 'config.toml') },
    { client: 'a client', path: join(folder, 'mcp.json') },
  ];
}

/** Client files in the home folder, which apply to all projects. */
export function listUserClientFiles(): readonly ClientFile[] {
  const { 'claude-desktop': desktop, codex } = KNOWN_CLIENTS;
  const files: readonly (readonly [client: string, path: string | undefined])[] = [
    ['Claude Code', join(homedir(), '.claude.json')],
    [desktop.title, desktop.file],
    ['Cursor', join(homedir(), '.cursor', 'mcp.json')],
    ['VS Code', join(findConfigFolder(), 'Code', 'User', 'mcp.json')],
    ['Windsurf', join(homedir(), '.codeium', 'windsurf', 'mcp_config.json')],
    [codex.title, codex.file],
  ];
  return files.flatMap(([client, path]) => (path === undefined ? [] : { client, path }));
}
