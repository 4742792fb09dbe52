/** Acts like a worker that the operating system kills for lack of memory. */
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
