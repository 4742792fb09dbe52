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
  const members = Object.entries({ description, inputSchema, name }).filter(([, value]) => value !== undefined);
  const bytes = members.reduce((sum, [member, value]) => sum + bytesOf(member) + 1 + bytesOf(value), 0);
  // Two braces, and a comma between members.
  return Math.ceil((bytes + 2 + Math.max(0, members.length - 1)) / BYTES_PER_TOKEN);
}

function bytesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const known = schemaBytes.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  schemaBytes.set(value, bytes);
  return bytes;
}
