/** TypeScript types of the values that a JSON Schema literal describes. */

/** The TypeScript type of a schema; undefined for a schema without an equivalent type. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
      ? FromSchema<A>
      : S extends { readonly type: infer T }
        ? FromType<T extends readonly (infer U)[] ? U : T, S>
        : unknown;

type FromType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? readonly (S extends { readonly items: infer I } ? FromSchema<I> : unknown)[]
          : T extends 'object'
            ? FromObject<S>
            : unknown;

type FromObject<S> = S extends { readonly properties: infer P }
  ? { readonly [K in keyof P as IsPresent<S, P, K> extends true ? K : never]: FromSchema<P[K]> } & {
      readonly [K in keyof P as IsPresent<S, P, K> extends true ? never : K]?: FromSchema<P[K]>;
    }
  : { readonly [name: string]: unknown };

/** Whether a property is always present: it is required, or has a default, which is filled in before a workflow begins. */
type IsPresent<S, P, K extends keyof P> = P[K] extends { readonly default: unknown }
  ? true
  : S extends { readonly required: readonly (infer R)[] }
    ? K extends R
      ? true
      : false
    : false;
