import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { asDiskFault } from '../../platform/disk-fault.ts'
import { takeLock } from '../../platform/lock-file.ts'
import { closeToOthers } from '../../platform/owner-only.ts'
import { openQuarantine } from '../../platform/quarantine.ts'

/** What a running instance answers to a second one. */
interface InstanceAnswer {
  readonly shell: 'electron' | 'browser'
  /** With a one-time token in the browser shell. */
  readonly url: string
  readonly pid: number
  readonly service: unknown
}

/** The lock on a data folder, released when the process ends. */
export interface Instance {
  /** Answers second instances. */
  serve(answer: () => InstanceAnswer): Promise<void>
  release(): void
}

const answerBytes = 65_536
/** In ms. */
const questionPatience = 2_000

/** The socket of an instance: under the temporary folder if the data folder's path is too long. */
export function controlPath(dataDir: string, platform: NodeJS.Platform = process.platform): string {
  const whole = path.resolve(dataDir)
  // Names are case-insensitive on Windows.
  const digest = createHash('sha256')
    .update(platform === 'win32' ? whole.toLowerCase() : whole)
    .digest('hex')
    .slice(0, 24)
  if (platform === 'win32') return `\\\\.\\pipe\\sidestage-${digest}`
  const near = path.join(path.resolve(dataDir), 'control.sock')
  return Buffer.byteLength(near) <= 100 ? near : path.join(os.tmpdir(), `sidestage-${digest}`, 'control.sock')
}

function prepare(socket: string): void {
  if (process.platform === 'win32') return
  const folder = path.dirname(socket)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (process.getuid && found.uid !== process.getuid()) throw new Error(`${folder} belongs to somebody else`)
  const left = lstatSync(socket, { throwIfNoEntry: false })
  // Left by a killed instance: we hold the lock.
  if (left?.isSocket()) rmSync(socket, { force: true })
  else if (left)
    openQuarantine({ folder, now: Date.now }).setAside(
      [path.basename(socket)],
      'unknown',
      'it was in the place of the socket of the app',
    )
}

function lockOn(dataDir: string): ReturnType<typeof takeLock> {
  let lock: ReturnType<typeof takeLock>
  try {
    lock = takeLock(path.join(dataDir, 'app-lock.db'))
    if (lock) closeToOthers(dataDir)
    return lock
  } catch (error) {
    lock?.release()
    throw asDiskFault(dataDir, error)
  }
}

/** Locks a data folder; undefined when another instance has it. Throws DiskFault. */
export function claimInstance(dataDir: string): Instance | undefined {
  const lock = lockOn(dataDir)
  if (!lock) return undefined
  const socket = controlPath(dataDir)
  let server: net.Server | undefined
  return {
    serve: async (answer) => {
      prepare(socket)
      const made = (server = net.createServer((connection) => {
        connection.on('error', () => undefined)
        const timer = setTimeout(() => connection.destroy(), questionPatience).unref()
        connection.once('close', () => clearTimeout(timer))
        connection.once('data', (said) => {
          if (said.toString('utf8').startsWith('open\n')) connection.end(`${JSON.stringify(answer())}\n`)
          else connection.destroy()
        })
      }))
      made.maxConnections = 8
      await new Promise<void>((resolve, reject) => {
        made.once('error', (error) => reject(asDiskFault(path.dirname(socket), error) as Error))
        made.listen(socket, () => {
          if (process.platform !== 'win32') chmodSync(socket, 0o600)
          resolve()
        })
      })
      made.unref()
    },
    release: () => {
      server?.close()
      lock.release()
    },
  }
}

/** Asks the instance that holds a data folder; undefined without an answer. */
export const askInstance = (dataDir: string, patience: number): Promise<InstanceAnswer | undefined> =>
  new Promise((resolve) => {
    let said = ''
    const connection = net.connect(controlPath(dataDir), () => connection.write('open\n'))
    const finish = (answer?: InstanceAnswer): void => {
      clearTimeout(timer)
      connection.destroy()
      resolve(answer)
    }
    const timer = setTimeout(finish, patience)
    connection.setEncoding('utf8')
    connection.on('data', (text: string) => {
      if ((said += text).length > answerBytes) finish()
    })
    connection.on('error', () => finish())
    connection.on('end', () => {
      try {
        finish(readAnswer(JSON.parse(said)))
      } catch {
        finish()
      }
    })
  })

function readAnswer(raw: unknown): InstanceAnswer | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const { shell, url, pid, service } = raw as Partial<Record<string, unknown>>
  if ((shell !== 'electron' && shell !== 'browser') || typeof url !== 'string' || typeof pid !== 'number')
    return undefined
  return { shell, url, pid, service }
}
