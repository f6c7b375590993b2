import { app, dialog } from 'electron'
import { reasonOf } from '../companion/failure.ts'
import { hearEveryFault } from '../platform/last-handler.ts'
import { createLogWriter, standardError } from '../platform/log-writer.ts'
import { startDesktop } from './desktop.ts'
import { showStartFault } from './start-fault.ts'

/** The desktop shell's process. */
const writer = createLogWriter(standardError(), (lines) => `${lines} lines were not written\n`)
process.on('exit', () => writer.finish())
const say = (line: string): void => writer.write(`${line}\n`)
hearEveryFault(process, (what, reason) => say(`${what}: ${reasonOf(reason)}`))

startDesktop({
  argv: process.argv.slice(1),
  platform: process.platform,
  print: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
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
  // `npm start` reads the log, and goes on with a browser.
  if (!process.argv.includes('--tethered'))
    showStartFault(error, {
      language: Intl.DateTimeFormat().resolvedOptions().locale,
      box: (title, text) => dialog.showErrorBox(title, text),
    })
  app.exit(1)
})
