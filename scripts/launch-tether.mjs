// Loaded before a command of the bootstrap: ends the process in order when the bootstrap is gone.
process.once('disconnect', () => {
  // Not sent to itself: Windows has no such signal and would end the process in the middle of its work.
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143)
})
process.channel?.unref()
