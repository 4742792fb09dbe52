import { compareText, isObject } from '#schemas';
import { formatKeyName, isInherited } from './names.ts';
import { parseLocalReference, resolvePointer } from './references.ts';

/** Maximum depth of described fields; programs do not read deeper ones. */
const MAX_DEPTH = 6;
/** Maximum number of described fields of one output. */
const MAX_FIELDS = 500;

/**
 * The types of an output's fields, as the text of a literal such as `{ total: "number", items: [{ title: "string" }] }`. Templates format
 * numbers and strings differently, and types do not exist at run time. Undefined when no type is certain.
 */
export function findOutputKinds(outputSchema: unknown): string | undefined {
  let remaining = MAX_FIELDS;
  return readKind(outputSchema, 0);

  function readKind(schemaType: unknown, depth: number): string | undefined {
    const schema = resolveSchema(schemaType, outputSchema);
    if (schema === undefined || depth > MAX_DEPTH) return undefined;
    // Schemas with `enum` often omit `type`.
    if (Array.isArray(schema.enum))
      return schema.enum.every(value => typeof value === 'string') ? '"string"' : undefined;
    switch (schema.type) {
      case 'string':
      case 'boolean':
        return JSON.stringify(schema.type);
      case 'integer':
      case 'number':
        return '"number"';
      case 'array': {
        const item = schema.prefixItems === undefined ? readKind(schema.items, depth + 1) : undefined;
        return item === undefined ? '"json"' : `[${item}]`;
      }
      case 'object':
        return fields(schema.properties, depth);
      default:
        return undefined;
    }
  }

  function fields(properties: unknown, depth: number): string {
    const entries = isObject(properties) ? Object.entries(properties) : [];
    const known = entries
      .sort(([a], [b]) => compareText(a, b))
      .flatMap(([name, schema]) => {
        remaining -= 1;
        const kind = remaining < 0 || isInherited(name) ? undefined : readKind(schema, depth + 1);
        return kind === undefined ? [] : [`${formatKeyName(name)}: ${kind}`];
      });
    return known.length === 0 ? '"json"' : `{ ${known.join(', ')} }`;
  }
}

/** Follows references to a schema that says the type. Alternatives may have another type; keywords next to `type` can only narrow it. */
function resolveSchema(schema: unknown, root: unknown): Readonly<Record<string, unknown>> | undefined {
  let current = schema;
  for (let count = 0; count < 10; count += 1) {
    if (!isObject(current)) return undefined;
    if (current.type !== undefined || current.enum !== undefined || current.$ref === undefined)
      return current.nullable === true ? undefined : current;
    const pointer = parseLocalReference(current.$ref);
    current = pointer === undefined ? undefined : resolvePointer(root, pointer);
  }
  return undefined;
}
