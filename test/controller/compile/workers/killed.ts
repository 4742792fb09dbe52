/** A worker that the machine ends for want of memory. */
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
