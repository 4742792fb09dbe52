/** The packages that `package.json` names, and those of the workspaces. */
import { readFileSync } from 'node:fs';

export interface Direct {
  readonly name: string;
  /** The exact pinned version. */
  readonly version: string;
}

const MANIFESTS = ['package.json', 'editors/vscode/package.json', 'test/peers/packages/package.json'];

/** The direct dependencies, sorted by name. */
export function directDependencies(): readonly Direct[] {
  const all = MANIFESTS.flatMap(path => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries<string>({ ...dependencies, ...devDependencies });
  });
  return all.map(([name, version]) => ({ name, version })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
