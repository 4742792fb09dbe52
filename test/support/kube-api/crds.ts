import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_GROUP } from '#schemas';
import { ROOT } from '../process.ts';

const FOLDER = join(ROOT, 'schemas', 'generated', 'crd');

/** Lintel's CRDs as they are installed; optionally in the other API group that the compiler accepts. */
export function crds(group: string = API_GROUP): object[] {
  return readdirSync(FOLDER, { encoding: 'utf8' })
    .filter(file => file.startsWith(`${API_GROUP}_`))
    .map(file => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const definition = parse(text) as {
        metadata: { name: string };
        spec: { group: string; names: { plural: string } };
      };
      definition.spec.group = group;
      definition.metadata.name = `${definition.spec.names.plural}.${group}`;
      return definition;
    });
}
