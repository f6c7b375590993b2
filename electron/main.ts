import { app } from 'electron'
import { startDesktop } from './desktop.ts'

/** The desktop shell's process. */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

startDesktop({
  argv: process.argv.slice(1),
  platform: process.platform,
  print: (line) => {
    process.stdout.write(`${JSON.stringify(line)}\n`)
  },
  log: say,
  tether: (gone) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, gone)
    if (!process.argv.includes('--tethered')) return
    process.stdin.on('end', gone)
    process.stdin.on('error', gone)
    process.stdin.resume()
  },
}).catch((error: unknown) => {
  say(`the desktop window could not be opened: ${error instanceof Error ? error.message : String(error)}`)
  app.exit(1)
})
