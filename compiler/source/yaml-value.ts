import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { quote } from '../text/describe.ts';
import { MAX_ALIASES, MAX_DEPTH, MAX_VALUES_PER_DOCUMENT } from './limits.ts';
import { findNumberProblem, findTextProblem } from './lossless.ts';
import { setOwnMember } from './own-member.ts';
import { type ReaderProblem, type Span, UnreadableError } from './problem.ts';
import { findTwoReadings, HIDDEN } from './two-readings.ts';
import { type AliasTargets, getNodeSpan, isMergeKey } from './yaml-node.ts';

/** A parsed YAML document as plain data. */
export type YamlValue = {
  readonly value: unknown;
  readonly targets: AliasTargets;
  /** Duplicate keys. */
  readonly problems: readonly ReaderProblem[];
  /** Findings that only matter for documents of Lintel's kinds. */
  readonly caveats: readonly ReaderProblem[];
};

/**
 * Turns the nodes of a document without syntax errors into plain data, following aliases and merge keys.
 *
 * @throws UnreadableError when a limit is exceeded, or an alias is unresolved or circular.
 */
export function toYamlValue(root: Node | null): YamlValue {
  const conversion = new Conversion();
  const value = root === null ? null : conversion.convert(root);
  return { value, targets: conversion.targets, problems: conversion.problems, caveats: conversion.caveats };
}

class Conversion {
  readonly targets = new Map<Alias, Node>();
  readonly problems: ReaderProblem[] = [];
  readonly caveats: ReaderProblem[] = [];
  readonly #anchors = new Map<string, Node>();
  /** The nodes on the path to the current one. */
  readonly #open = new Set<Node>();
  readonly #path: (string | number)[] = [];
  #values = 0;
  /** The number of enclosing aliases: repeated nodes were already checked. */
  #repeating = 0;

  convert(node: Node): unknown {
    this.#count(node);
    if (isAlias(node)) return this.#repeat(this.#resolveTarget(node));
    // An alias refers to the last preceding anchor of its name, so anchors are registered in textual order.
    if (node.anchor !== undefined && this.#repeating === 0) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    this.#open.add(node);
    const value = isMap(node) ? this.#readMapping(node) : isSeq(node) ? this.#list(node.items) : null;
    this.#open.delete(node);
    return value;
  }

  #count(node: Node): void {
    this.#values += 1;
    if (this.#values > MAX_VALUES_PER_DOCUMENT)
      this.#stop(
        node,
        'LNT1017',
        `the document has more than ${MAX_VALUES_PER_DOCUMENT} values, with its aliases expanded`,
      );
    if (isCollection(node) && this.#open.size >= MAX_DEPTH)
      this.#stop(node, 'LNT1017', `values are nested more than ${MAX_DEPTH} levels deep`);
  }

  #readScalar(node: Scalar): unknown {
    const { value, source } = node;
    const problem =
      typeof value === 'number'
        ? findNumberProblem(source ?? '', value)
        : typeof value === 'string' && findTextProblem(value);
    if (problem) this.#reportCaveat('LNT1014', problem, getNodeSpan(node));
    this.#compareReadings(node);
    return value;
  }

  #compareReadings(node: Scalar): void {
    const isPlain = node.type === 'PLAIN' && node.tag === undefined;
    const readings = isPlain ? findTwoReadings(node.source ?? '') : undefined;
    if (readings === undefined || this.#repeating > 0) return;
    this.caveats.push({
      code: 'LNT1024',
      ...readings,
      withheld: HIDDEN,
      span: getNodeSpan(node),
      path: [...this.#path],
    });
  }

  #list(items: readonly unknown[]): unknown[] {
    return items.map((item, index) => this.#inside(index, () => this.convert(item as Node)));
  }

  #readMapping(map: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const keys = new Map<string, Node>();
    const merges: Node[] = [];
    for (const { key, value } of map.items as Pair<Scalar, Node | null>[]) {
      if (isMergeKey(key)) {
        merges.push(value ?? key);
        continue;
      }
      const name = String(key.value);
      const first = keys.get(name);
      this.#inside(name, () => {
        if (first) this.#reportDuplicate(name, key, first);
        const problem = findTextProblem(name);
        if (problem) this.#reportCaveat('LNT1014', problem, getNodeSpan(key));
        this.#compareReadings(key);
        setOwnMember(result, name, value === null ? null : this.convert(value));
      });
      keys.set(name, first ?? key);
    }
    for (const merge of merges) this.#merge(result, merge);
    return result;
  }

  /** Own members override merged ones, and earlier merged ones override later ones. */
  #merge(into: Record<string, unknown>, merge: Node): void {
    for (const source of this.#mergeSources(merge)) {
      const merged = isAlias(merge) ? this.#repeat(source) : this.convert(source);
      for (const [name, value] of Object.entries(merged as object)) {
        if (!Object.hasOwn(into, name)) setOwnMember(into, name, value);
      }
    }
  }

  #mergeSources(merge: Node): readonly Node[] {
    const value = isAlias(merge) ? this.#resolveTarget(merge) : merge;
    const sources: readonly Node[] = isSeq(value) ? (value.items as Node[]) : [merge];
    for (const source of sources) {
      if (!isMap(isAlias(source) ? this.#resolveTarget(source) : source))
        this.#stop(source, 'LNT1001', 'the value of a merge key "<<" must be a mapping, or a list of mappings');
    }
    return sources;
  }

  #resolveTarget(alias: Alias): Node {
    const known = this.targets.get(alias);
    if (known) return known;
    if (this.targets.size >= MAX_ALIASES)
      this.#stop(alias, 'LNT1017', `the document has more than ${MAX_ALIASES} aliases`);
    const target = this.#anchors.get(alias.source);
    // The name is not repeated: it may be an unquoted password that starts with an asterisk.
    if (!target) this.#stop(alias, 'LNT1001', 'the alias has no anchor before it; if it is text, quote it');
    if (this.#open.has(target)) this.#stop(alias, 'LNT1001', 'the alias is inside of its own anchor');
    this.targets.set(alias, target);
    return target;
  }

  #repeat(node: Node): unknown {
    this.#repeating += 1;
    const value = this.convert(node);
    this.#repeating -= 1;
    return value;
  }

  #inside<T>(step: string | number, convert: () => T): T {
    this.#path.push(step);
    const value = convert();
    this.#path.pop();
    return value;
  }

  #reportDuplicate(name: string, key: Node, first: Node): void {
    if (this.#repeating > 0) return;
    this.problems.push({
      code: 'LNT1002',
      message: `the key ${quote(name)} is in this mapping twice`,
      span: getNodeSpan(key),
      path: [...this.#path],
      related: { message: 'the key is here first', span: getNodeSpan(first) },
    });
  }

  #reportCaveat(code: ReaderProblem['code'], message: string, span: Span): void {
    if (this.#repeating === 0) this.caveats.push({ code, message, span, path: [...this.#path] });
  }

  #stop(node: Node, code: ReaderProblem['code'], message: string): never {
    throw new UnreadableError({ code, message, span: getNodeSpan(node), path: [...this.#path] });
  }
}
