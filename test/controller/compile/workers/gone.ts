process.on('message', () => process.exit(0));

export {};
