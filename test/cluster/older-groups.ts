/** An older version of the CustomResourceDefinition of MCPGroup, which lacks the field `description`. */

export const GROUPS = 'mcpgroups.lintel.dev';
export const GROUPS_PATH = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${GROUPS}`;

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: { readonly properties: { readonly spec: { readonly properties?: object } } };
      };
    }[];
  };
}

function listFields(definition: object): readonly { description?: unknown }[] {
  const { spec } = definition as Definition;
  // The API server leaves out an empty list of fields.
  return spec.versions.map(({ schema }) => schema.openAPIV3Schema.properties.spec.properties ?? {});
}

export function makeOlder<T extends object>(definition: T): T {
  const older = structuredClone(definition);
  for (const fields of listFields(older)) delete fields.description;
  return older;
}

export function isOlder(definition: object): boolean {
  return listFields(definition).every(fields => fields.description === undefined);
}
