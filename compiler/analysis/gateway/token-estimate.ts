import type { CatalogItem } from '#schemas';

/** Bytes of JSON that make about one token; the same rule of thumb as for the metrics of the optimizer. */
const BYTES_PER_TOKEN = 4;

/** Schemas are shared by all gateways that show the tool, so each is measured once. */
const schemaBytes = new WeakMap<object, number>();

/**
 * About how many tokens a tool takes in the context of a model: the bytes of the JSON of its name, description and input
 * schema, divided by four and rounded up.
 */
export function tokenEstimate({ name, description, inputSchema }: CatalogItem): number {
  const bytes =
    memberBytes('name', name) + memberBytes('description', description) + memberBytes('inputSchema', inputSchema);
  // A brace before, and one for the comma that the last member does not have.
  return Math.ceil((bytes + 1) / BYTES_PER_TOKEN);
}

/** With the quotes of the name, the colon and a comma. */
function memberBytes(member: string, value: unknown): number {
  return value === undefined ? 0 : member.length + 4 + valueBytes(value);
}

function valueBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const known = schemaBytes.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  schemaBytes.set(value, bytes);
  return bytes;
}
