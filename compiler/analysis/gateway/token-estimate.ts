import type { CatalogItem } from '#schemas';

/** About this many bytes of JSON make one token; the optimizer's metrics use the same estimate. */
const BYTES_PER_TOKEN = 4;

/** All gateways that show a tool share its schema, so each schema is measured once. */
const schemaBytes = new WeakMap<object, number>();

/** Estimated tokens of a tool in a model's context: the JSON bytes of its name, description and input schema, divided by four and rounded up. */
export function estimateTokens({ name, description, inputSchema }: CatalogItem): number {
  const bytes =
    countMemberBytes('name', name) +
    countMemberBytes('description', description) +
    countMemberBytes('inputSchema', inputSchema);
  // Plus the opening brace; the closing one replaces the last comma.
  return Math.ceil((bytes + 1) / BYTES_PER_TOKEN);
}

/** The bytes of a member, including the quotes of its name, the colon and a comma. */
function countMemberBytes(member: string, value: unknown): number {
  return value === undefined ? 0 : member.length + 4 + countValueBytes(value);
}

function countValueBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const known = schemaBytes.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  schemaBytes.set(value, bytes);
  return bytes;
}
