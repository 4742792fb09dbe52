/** Configuration files of other programs, imported in memory. */
import { join } from 'node:path';
import {
  formatEnvExample,
  formatObjects,
  IMPORT_RENDERERS,
  type ImportPlan,
  planImport,
  readImportedFile,
  withErrors,
} from '../../../compiler/import/index.ts';
import { formatSpecs } from '../../../compiler/starter/specs-text.ts';

export const FILES: string = join(import.meta.dirname, 'files');

export interface Imported {
  readonly plan: ImportPlan;
  /** Undefined where no server is imported. */
  readonly specs: string | undefined;
  readonly env: string;
  readonly text: string;
  readonly json: string;
}

/** @param shown the file's name in reports */
export function imported(file: string, shown: string, plain: readonly string[] = []): Imported {
  const files = readImportedFile(file).map(found => ({ file: shown, found }));
  const plan = withErrors(planImport(files, { taken: new Set(['imported']), plain: new Set(plain) }));
  const forms = files.map(({ found }) => ({ file: shown, form: found.form }));
  const report = { ...plan, files: forms, gateway: 'imported', written: [] };
  const servers = plan.carried.map(({ server }) => server);
  return {
    plan,
    specs:
      servers.length > 0
        ? formatSpecs({ name: 'imported', description: 'Imported.', servers })
        : plan.objects.length > 0
          ? formatObjects(plan.objects)
          : undefined,
    env: formatEnvExample(plan, ''),
    text: IMPORT_RENDERERS.text(report),
    json: IMPORT_RENDERERS.json(report),
  };
}
