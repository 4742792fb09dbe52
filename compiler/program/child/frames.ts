import type { Frame } from '../synthesized.ts';

/** Calls that are kept of a stack: constructs of users are nested, and each level takes a few. */
const MAX_FRAMES = 50;

let bundleUrl = '';

/** @param url of the bundle, as it stands in stacks */
export function followBundle(url: string): void {
  bundleUrl = url;
  Error.stackTraceLimit = MAX_FRAMES;
}

/** The calls in the bundle of a stack as V8 writes it, the innermost first. */
export function parseBundleFrames(stack: unknown): readonly Frame[] {
  return typeof stack === 'string' ? parseFrames(stack, bundleUrl) : [];
}

/** The same, for who is not in the process of the bundle. @param url of the bundle */
export function parseFrames(stack: string, url: string): readonly Frame[] {
  return stack.split('\n').flatMap(text => {
    const at = text.indexOf(`${url}:`);
    const [, line, column] = at < 0 ? [] : (/^(\d+):(\d+)/.exec(text.slice(at + url.length + 1)) ?? []);
    return line === undefined || column === undefined ? [] : [{ line: Number(line), column: Number(column) }];
  });
}

/** Where we are called from. */
export function framesHere(): readonly Frame[] {
  return parseBundleFrames(stackHere());
}

/** The same, read lazily: most stacks are never needed. */
export function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
