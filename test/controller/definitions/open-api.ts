import { API_GROUP, KINDS_FILE, STORAGE_VERSION } from '#schemas';
import { toCrdSchema } from '../../../schemas/generate/crd.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests take fields out of a schema that is written down elsewhere
export type Node = { [name: string]: any };

/** Lintel's CRDs as the API server publishes them, after an edit of one. */
export function openApi(edited?: string, edit: (definition: Node) => void = () => {}): object {
  const schemas = Object.values(KINDS_FILE).map(({ kind, spec, status }) => {
    const definition: Node = { type: 'object', properties: { spec: toCrdSchema(spec), status: toCrdSchema(status) } };
    if (kind === edited) edit(definition);
    const type = { group: API_GROUP, version: STORAGE_VERSION, kind };
    return [`dev.lintel.${STORAGE_VERSION}.${kind}`, { ...definition, 'x-kubernetes-group-version-kind': [type] }];
  });
  return { openapi: '3.0.0', components: { schemas: Object.fromEntries(schemas) } };
}
