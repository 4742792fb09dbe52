/** The package has no types of its own, and this is the part of it that is used. */
declare module 'spdx-expression-parse' {
  /** @throws if the text is no SPDX license expression */
  export default function parse(expression: string): unknown;
}
