/** A definition as the backend sent it, unknown members included. */
export type CatalogItem = { readonly [member: string]: unknown };
