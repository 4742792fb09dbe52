/** The bill of materials that the build wrote. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';

/** As far as tests read it. */
export interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

export interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export function readSbom(): Sbom {
  return JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8'));
}

/** As npm names it. */
export function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

/** The names of the packages inside a file of `dist/`, sorted. */
export function packagesIn(sbom: Sbom, file: string): readonly string[] {
  const refs = sbom.dependencies.find(({ ref }) => ref === `file:${file}`)?.dependsOn ?? [];
  return refs.map(ref => nameOf(sbom.components.find(one => one['bom-ref'] === ref) as Component)).sort();
}
