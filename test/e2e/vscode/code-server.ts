/** A real VS Code: code-server, which serves its workbench to a browser and runs extensions like VS Code. */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { freeOwnPort } from '../../support/own-port.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually, Output, temporaryFolder } from '../../support/process.ts';

const PROGRAM: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'code-server'))
  .find(isExecutable);

const NEEDS = 'needs code-server (npm install --global code-server)';

/** `test` for cases that need a real VS Code. Skipped without one, also in CI, because it takes 600 MB. */
export function withVsCode(title: string, body: () => Promise<void>): void {
  if (PROGRAM === undefined) test.skip(`${title} [${NEEDS}]`, body);
  else withPeers('chromium', 'playwright-core', 'vscode-languageclient').test(title, body);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface CodeServer extends AsyncDisposable {
  /** The URL of a window with a folder. */
  windowOf(folder: string): string;
}

/** Starts code-server with an extension that its own installer has installed. */
export async function startCodeServer(vsix: string): Promise<CodeServer> {
  const folder = await temporaryFolder({
    'data/User/settings.json': JSON.stringify({
      'security.workspace.trust.enabled': false,
      'workbench.startupEditor': 'none',
      'editor.minimap.enabled': false,
      'editor.hover.delay': 100,
    }),
    'config.yaml': '{}\n',
  });
  const program = PROGRAM ?? 'code-server';
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder.path };
  const own = [
    ...['--config', folder.file('config.yaml')],
    ...['--user-data-dir', folder.file('data'), '--extensions-dir', folder.file('extensions')],
  ];
  await promisify(execFile)(program, [...own, '--install-extension', vsix], { env });
  const address = `127.0.0.1:${await freeOwnPort()}`;
  const quiet = [
    '--auth',
    'none',
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
  ];
  const child = spawn(program, [...own, ...quiet, '--bind-addr', address], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout] = [new Output('stdout', child.stdout), new Output('stderr', child.stderr)];
  const ended = new Promise(resolve => child.once('close', resolve));
  await eventually(() => stdout.text.includes('HTTP server listening'));
  return {
    windowOf: path => `http://${address}/?folder=${encodeURIComponent(path)}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
