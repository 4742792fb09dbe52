import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** A user's folder with programs: the built Lintel, and the packages that programs need. */
export async function project(files: { readonly [path: string]: string }): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({ 'package.json': '{ "type": "module" }', ...files });
  const modules = join(folder.path, 'node_modules');
  await mkdir(modules);
  for (const name of ['cdk8s', 'constructs', 'esbuild', 'typescript']) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  await symlink(ROOT, join(modules, 'lintel'));
  return folder;
}
