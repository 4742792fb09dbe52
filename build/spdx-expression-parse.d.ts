/** Types of the part of the package that is used: it has none of its own. */
declare module 'spdx-expression-parse' {
  /** @throws if the text is no SPDX license expression */
  export default function parse(expression: string): unknown;
}
