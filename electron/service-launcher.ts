import { utilityProcess } from 'electron'
import { Readable } from 'node:stream'
import { reasonOf } from '../contract/catalogue/reasons.ts'
import { eachLine, isFromService, type LaunchService, serviceEnvironment } from '../companion/supervisor/launcher.ts'

/** Runs the built service as an Electron utility process, which ends whenever the app ends. */
export const utilityLauncher =
  (entry: string): LaunchService =>
  () => {
    const { NODE_OPTIONS: _, ...env } = serviceEnvironment(process.env)
    const child = utilityProcess.fork(entry, [], { stdio: 'pipe', serviceName: 'Sidestage service', env, execArgv: [] })
    let isGone = false
    return {
      pid: child.pid,
      send: (message) => {
        if (!isGone) child.postMessage(message)
      },
      onMessage: (listener) => {
        child.on('message', (message: unknown) => {
          if (isFromService(message)) listener(message)
        })
      },
      onExit: (listener) => {
        child.once('exit', (code) => {
          isGone = true
          listener(reasonOf('service', 'exited', { status: String(code) }))
        })
      },
      onLine: (listener) => {
        for (const stream of [child.stdout, child.stderr]) if (stream instanceof Readable) eachLine(stream, listener)
      },
      kill: () => {
        // `kill` of a utility process sends SIGTERM, which a hung process ignores.
        if (child.pid === undefined) child.kill()
        else
          try {
            process.kill(child.pid, 'SIGKILL')
          } catch {
            // Gone already.
          }
      },
    }
  }
