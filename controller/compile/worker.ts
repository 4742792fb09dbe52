/** The entry of a worker process: compiles one tree after the other, for one source. */
import { collectGarbage } from '#util';
import { createTreeCompiler } from './compile-tree.ts';
import { OutcomeSender, type WorkerRequest } from './exchange.ts';

const compileTree = createTreeCompiler();
const sender = new OutcomeSender();
let clusterTexts: ReadonlyMap<string, string> = new Map();

process.on('message', (request: WorkerRequest) => {
  clusterTexts = request.clusterTexts ?? clusterTexts;
  // What is thrown here is no mistake of a user: it ends the process, and the other side says so.
  process.send?.(sender.answer(compileTree({ ...request, clusterTexts })), collectGarbage);
});
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
