/** HTML pages for the browser, in a folder that is deleted with the process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPOSURE_RENDERERS } from '../analysis/exposure/render/index.ts';
import type { EditedProject } from './edited-project.ts';
import { toUri } from './positions.ts';

export class ExposurePages {
  #folder: string | undefined;

  /** Writes a page with the exposure of these gateways and returns its address. */
  write(project: EditedProject, namespace: string, names: readonly string[]): string {
    const gateways = names.flatMap(name => project.findExposure({ namespace, name }) ?? []);
    const file = join(this.#getOwnFolder(), 'exposure.html');
    writeFileSync(file, EXPOSURE_RENDERERS.html({ gateways, registries: [] }, { color: false }));
    return toUri(file);
  }

  #getOwnFolder(): string {
    if (this.#folder !== undefined) return this.#folder;
    const folder = mkdtempSync(join(tmpdir(), 'lintel-exposure-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#folder = folder;
    return folder;
  }
}
