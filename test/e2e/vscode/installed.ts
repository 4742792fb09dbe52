/** The `.vsix`, unpacked as VS Code does. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/process.ts';
import { filesIn } from './archive.ts';

export interface Installed extends AsyncDisposable {
  /** The folder of the extension. */
  readonly extension: string;
  readonly file: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Builds the extension and unpacks it. */
export async function installVsix(): Promise<Installed> {
  const { makeVsix } = await import('../../../build/vscode/vsix.ts');
  const folder = await temporaryFolder();
  const { file } = await makeVsix(folder.path);
  const files = filesIn(await readFile(file));
  for (const [path, content] of files) {
    await mkdir(dirname(folder.file(path)), { recursive: true });
    await writeFile(folder.file(path), content);
  }
  return {
    extension: folder.file('extension'),
    file,
    files,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The running servers of an installed extension. */
export function listServerProcesses(extension: string): readonly string[] {
  const program = join(extension, 'server', 'dist', 'lintel.js');
  return readdirSync('/proc').filter(pid => /^\d+$/.test(pid) && commandLine(pid).includes(program));
}

function commandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

export function inSpecs(files: { readonly [path: string]: string }): { readonly [path: string]: string } {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [join('specs', path), text]));
}
