export type Claims = Readonly<Record<string, unknown>>;

/** Whether the claims of a token fulfil a condition; an error text if this cannot be evaluated. Never throws. */
export type ClaimsMatcher = (claims: Claims) => boolean | { readonly error: string };
