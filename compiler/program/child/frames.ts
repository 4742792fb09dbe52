import type { Frame } from '../synthesized.ts';

/** Maximum number of kept frames of a stack: users' constructs are nested, and each level takes a few. */
const MAX_FRAMES = 50;

let bundleUrl = '';

/** @param url the bundle's URL in stack traces */
export function followBundle(url: string): void {
  bundleUrl = url;
  Error.stackTraceLimit = MAX_FRAMES;
}

/** The frames in the bundle of a V8 stack trace, innermost first. */
export function parseBundleFrames(stack: unknown): readonly Frame[] {
  return typeof stack === 'string' ? parseFrames(stack, bundleUrl) : [];
}

/**
 * Does the same as `captureFrames`, outside of the bundle's process.
 * @param url of the bundle
 */
export function parseFrames(stack: string, url: string): readonly Frame[] {
  return stack.split('\n').flatMap(text => {
    const at = text.indexOf(`${url}:`);
    const [, line, column] = at < 0 ? [] : (/^(\d+):(\d+)/.exec(text.slice(at + url.length + 1)) ?? []);
    return line === undefined || column === undefined ? [] : [{ line: Number(line), column: Number(column) }];
  });
}

/** The frames of the current call. */
export function captureFrames(): readonly Frame[] {
  return parseBundleFrames(captureStack());
}

/** Does the same as `captureFrames`, but evaluates lazily: most stacks are never needed. */
export function captureStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
