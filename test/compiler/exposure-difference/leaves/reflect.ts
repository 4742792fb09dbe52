/** The shape of a bundle from its TypeScript types, and samples of it that differ in one leaf. */
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../../support/process.ts';

export interface Shape {
  readonly isNullable: boolean;
  readonly of:
    | { readonly kind: 'scalar'; readonly samples: readonly [unknown, unknown] }
    /** Compared as one value: a list of scalars, or a value of any type. */
    | { readonly kind: 'whole'; readonly samples: readonly [unknown, unknown] }
    | { readonly kind: 'items'; readonly item: Shape }
    | { readonly kind: 'dictionary'; readonly value: Shape }
    | { readonly kind: 'object'; readonly variants: readonly Variant[] };
}

type Variant = { readonly [member: string]: Shape };

/** Two values that differ only in the leaf of a pattern. */
export interface Sample {
  readonly pattern: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** @throws Error for a type that is not plain data */
export function reflectShape(file: string, name: string): Shape {
  const path = join(ROOT, file);
  const program = ts.createProgram([path], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find(one => one.name === name);
  if (found === undefined) throw new Error(`${file} exports no ${name}`);
  return shape(checker.getDeclaredTypeOfSymbol(found), checker);
}

const EMPTY = ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void;
const TEXT = ts.TypeFlags.StringLike | ts.TypeFlags.TemplateLiteral;

/** Types that are compared as one value; they may refer to themselves. */
const WHOLE: ReadonlySet<string> = new Set(['TemplateTree', 'ErrorPolicy', 'ReferencedArgument', 'OutputProperty']);

function isWhole({ aliasSymbol, symbol }: ts.Type): boolean {
  return WHOLE.has(aliasSymbol?.name ?? '') || WHOLE.has((symbol as ts.Symbol | undefined)?.name ?? '');
}

function shape(type: ts.Type, checker: ts.TypeChecker): Shape {
  const whole = { kind: 'whole', samples: [{ a: 1 }, { a: 2 }] } as const;
  if (isWhole(type)) return { isNullable: false, of: whole };
  const all = type.isUnion() ? type.types : [type];
  const types = all.filter(({ flags }) => (flags & EMPTY) === 0);
  if (types.length === 1 && isWhole(types[0] as ts.Type)) return { isNullable: true, of: whole };
  return { isNullable: types.length < all.length, of: contentOf(types, checker) };
}

function contentOf(types: readonly ts.Type[], checker: ts.TypeChecker): Shape['of'] {
  const [first] = types;
  if (first === undefined) throw new Error('a type without values');
  const literals = types.flatMap(one => (one.isLiteral() ? [one.value] : []));
  if (literals.length === types.length) return { kind: 'scalar', samples: [literals[0], literals.at(-1)] };
  if (types.every(({ flags }) => (flags & ts.TypeFlags.BooleanLike) !== 0))
    return { kind: 'scalar', samples: [false, types.length > 1] };
  if (types.every(({ flags }) => (flags & TEXT) !== 0)) return { kind: 'scalar', samples: ['a', 'b'] };
  if ((first.flags & ts.TypeFlags.NumberLike) !== 0) return { kind: 'scalar', samples: [1, 2] };
  if ((first.flags & ts.TypeFlags.Unknown) !== 0) return { kind: 'whole', samples: [{ a: 1 }, { a: 2 }] };
  const item = checker.getIndexTypeOfType(first, ts.IndexKind.Number);
  if (checker.isArrayLikeType(first) && item !== undefined) return listOf(item, checker);
  const value = checker.getIndexTypeOfType(first, ts.IndexKind.String);
  if (value !== undefined && checker.getPropertiesOfType(first).length === 0) {
    const inner = shape(value, checker);
    if ((value.flags & ts.TypeFlags.Unknown) !== 0) return { kind: 'whole', samples: [{ a: 1 }, { a: 2 }] };
    return { kind: 'dictionary', value: inner };
  }
  return { kind: 'object', variants: types.map(one => variantOf(one, checker)) };
}

function listOf(type: ts.Type, checker: ts.TypeChecker): Shape['of'] {
  const item = shape(type, checker);
  if (item.of.kind === 'object') return { kind: 'items', item };
  const [a, b] = [createSample(item), item.of.kind === 'scalar' ? item.of.samples[1] : { other: ['a'] }];
  return { kind: 'whole', samples: [[a], [a === b ? 'b' : b]] };
}

function variantOf(type: ts.Type, checker: ts.TypeChecker): Variant {
  const members = checker.getPropertiesOfType(type);
  if (members.length === 0) throw new Error(`${checker.typeToString(type)} has no members`);
  return Object.fromEntries(members.map(member => [member.name, shape(checker.getTypeOfSymbol(member), checker)]));
}

/** A value of the shape with every optional member. */
export function createSample({ of }: Shape): unknown {
  switch (of.kind) {
    case 'scalar':
    case 'whole':
      return of.samples[0];
    case 'items':
      return [createSample(of.item)];
    case 'dictionary':
      return { a: createSample(of.value) };
    case 'object':
      return variantSample(of.variants[0] ?? {});
  }
}

function variantSample(variant: Variant): object {
  return Object.fromEntries(Object.entries(variant).map(([name, member]) => [name, createSample(member)]));
}

/** The samples of each leaf in turn; for a union, of each of its variants. */
export function listSamples(shape: Shape, pattern = ''): readonly Sample[] {
  const { isNullable, of } = shape;
  const there: Sample[] = isNullable ? [{ pattern, was: null, is: createSample(shape) }] : [];
  return [...there, ...changesOf(of, pattern)];
}

function changesOf(of: Shape['of'], pattern: string): readonly Sample[] {
  switch (of.kind) {
    case 'scalar':
    case 'whole':
      return [{ pattern, was: of.samples[0], is: of.samples[1] }];
    case 'items': {
      const item = createSample(of.item);
      const inner = listSamples(of.item, `${pattern}[]`).map(one => ({ ...one, was: [one.was], is: [one.is] }));
      const [a, b] = [keyed(item, 'a'), keyed(item, 'b')];
      return [
        { pattern: `${pattern}[]`, was: [], is: [item] },
        { pattern: `${pattern}[#]`, was: [a, b], is: [b, a] },
        ...inner,
      ];
    }
    case 'dictionary': {
      const inner = listSamples(of.value, `${pattern}{}`).map(one => ({
        ...one,
        was: { a: one.was },
        is: { a: one.is },
      }));
      return [{ pattern: `${pattern}{}`, was: {}, is: { a: createSample(of.value) } }, ...inner];
    }
    case 'object': {
      const [first, ...others] = of.variants;
      const tag = others.length === 0 ? undefined : Object.keys(first ?? {}).find(name => isTag(name, of.variants));
      const join = (name: string) => (pattern === '' ? name : `${pattern}.${name}`);
      const variants = others.map(other => ({
        pattern: join(tag ?? 'type'),
        was: variantSample(first ?? {}),
        is: variantSample(other),
      }));
      const members = of.variants.flatMap(variant => {
        const base = variantSample(variant);
        return Object.entries(variant)
          .filter(([name]) => name !== tag || isOpen(variant[name]))
          .flatMap(([name, member]) =>
            listSamples(member, join(name)).map(({ pattern, was, is }) => ({
              pattern,
              was: { ...base, [name]: was },
              is: { ...base, [name]: is },
            })),
          );
      });
      return [...variants, ...members];
    }
  }
}

/** A member whose value differs in each variant. */
function isTag(name: string, variants: readonly Variant[]): boolean {
  const values = variants.map(variant => variant[name]?.of).flatMap(of => (of?.kind === 'scalar' ? of.samples : []));
  return values.length === variants.length * 2 && new Set(values).size >= variants.length;
}

function isOpen(shape: Shape | undefined): boolean {
  return shape?.of.kind === 'scalar' && shape.of.samples[0] !== shape.of.samples[1];
}

/** The same item with another key. */
function keyed(item: unknown, key: string): unknown {
  const { name, id, use, path, value, ...others } = item as Readonly<Record<string, unknown>>;
  const keys = Object.entries({ name, id, use, path, value }).filter(([, one]) => one !== undefined);
  return { ...others, ...Object.fromEntries(keys.map(([member]) => [member, key])) };
}
