// Loaded before a command of the bootstrap: ends the process in order when the bootstrap is gone.
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
})
process.channel?.unref()
