process.on('message', () => {
  for (;;);
});

export {};
