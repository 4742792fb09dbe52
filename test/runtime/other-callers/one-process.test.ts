/** Sessions and calls of other callers, at a gateway of one process. */
import { describe } from 'vitest';
import { BundleFile, startGatewayProgram } from '../../support/gateway-program.ts';
import { suiteOfOtherCallers } from './suite.ts';

describe('at one process', () => {
  suiteOfOtherCallers(async bundle => {
    await using starting = new AsyncDisposableStack();
    const { url } = await startGatewayProgram(starting, starting.use(await BundleFile.write(bundle)));
    const stack = starting.move();
    return { urls: [url, url], [Symbol.asyncDispose]: () => stack.disposeAsync() };
  });
});
