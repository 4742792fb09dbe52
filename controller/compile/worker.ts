/** The entry of a worker process: compiles one checkout after the other, for one source. */
import { collectGarbage } from '#shared/util';
import { createTreeCompiler } from './compile-tree.ts';
import { OutcomeSender, type WorkerRequest } from './exchange.ts';

const compileTree = createTreeCompiler();
const sender = new OutcomeSender();
let clusterTexts: ReadonlyMap<string, string> = new Map();

process.on('message', (request: WorkerRequest) => {
  clusterTexts = request.clusterTexts ?? clusterTexts;
  // An error thrown here is a bug: it ends the process, and the controller reports that.
  process.send?.(sender.answer(compileTree({ ...request, clusterTexts })), collectGarbage);
});
// The parent process has ended.
process.on('disconnect', () => process.exit(0));
