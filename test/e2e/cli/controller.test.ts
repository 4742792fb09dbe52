import { expect, test } from 'vitest';
import { PROGRAM, run } from '../../support/process.ts';

test('the controller says that it is not built yet, and what to use until it is', async () => {
  expect(await run(PROGRAM.controller, [])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'lintel-controller: not built yet; `lintel build` and `lintel dev` do the compiling until it is\n',
  });
});
