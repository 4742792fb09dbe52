process.on('message', () => {
  throw new Error('a mistake of ours');
});

export {};
