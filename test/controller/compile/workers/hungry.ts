process.on('message', () => {
  const kept: object[] = [];
  for (;;) kept.push(new Array(1000).fill({}));
});

export {};
