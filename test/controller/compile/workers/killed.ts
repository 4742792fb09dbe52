/** Plays a worker that the system kills for lack of memory. */
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
