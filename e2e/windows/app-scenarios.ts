import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { live } from '../../contract/operations/index.ts'
import { httpRequest } from '../../service/testing/http-request.ts'
import { type CompanionClient, openCompanion } from '../companion-client.ts'
import type { AppReady } from '../app.ts'
import { type Scenario, type Stage, until } from './scenario.ts'

const start = path.join(import.meta.dirname, 'start.js')
const tether = new URL('launch-tether.mjs', import.meta.url).href
const anyPorts = ['--port', '0', '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']

interface App {
  readonly ready: AppReady
  readonly pid: number
  readonly log: () => string
  /** Lets go of the channel by which the bootstrap holds it, as when that is killed; gives the exit code. */
  letGo(): Promise<number | null>
  kill(): Promise<void>
}

/** Starts the app's browser shell as the bootstrap does; its own folder is the usual one below `profile`, or the one named in `switches`. */
async function startApp(stage: Stage, profile: string, switches: readonly string[] = []): Promise<App> {
  const child = spawn(process.execPath, ['--import', tether, start, '--no-open', '--shell', 'browser', ...anyPorts, ...switches], {
    env: { ...process.env, LOCALAPPDATA: profile },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let out = ''
  let log = ''
  child.stdout!.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr!.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-20_000)))
  let code: number | null | undefined
  const exited = new Promise<number | null>((resolve) => child.once('exit', (how) => resolve((code = how))))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  stage.after(kill)
  const line = await until(
    'the app is ready',
    () => out.split('\n').find((one) => one.includes('"ready"')) ?? (code === undefined ? undefined : `ended (${code}): ${log}`),
  )
  if (!line.startsWith('{')) throw new Error(line)
  const letGo = async (): Promise<number | null> => {
    if (child.connected) child.disconnect()
    return exited
  }
  return { ready: JSON.parse(line) as AppReady, pid: child.pid ?? 0, log: () => log, letGo, kill }
}

/** A line to the companion, through an address that a second start is given. */
async function companionOf(stage: Stage, profile: string, switches: readonly string[] = []): Promise<CompanionClient> {
  const companion = await openCompanion({
    link: async () => {
      const second = await startApp(stage, profile, switches)
      await second.letGo()
      return second.ready.url
    },
  })
  return companion
}

/** The two processes together: companion and service. */
export const appScenarios: readonly Scenario[] = [
  {
    name: 'companion and service run together, the page is served, and a second start is told where, in any case',
    run: async (stage) => {
      const data = path.join(stage.folder, 'Own Data 资料')
      const app = await startApp(stage, stage.folder, ['--data', data])
      const page = await httpRequest(app.ready.url, { method: 'GET' })
      assert.equal(page.status, 200)
      assert.match(page.text, /<title>Sidestage/)
      const second = await startApp(stage, stage.folder, ['--data', data.toUpperCase()])
      assert.match(second.log(), new RegExp(`already running on this data folder \\(process ${app.pid},`))
      const companion = await companionOf(stage, stage.folder, ['--data', data.toLowerCase()])
      stage.after(() => companion.close())
      await companion.call(live.create.path, { name: 'Together_一起' })
      const report = await companion.rpc.computer.secrets()
      assert.equal(report.mode.kind, 'keychain')
      assert.equal(report.store, 'credentialManager')
      assert.ok(
        report.entries?.some(({ kind, count }) => kind === 'own' && count > 0),
        JSON.stringify(report.entries),
      )
      assert.equal((await companion.rpc.computer.testSecrets()).mode.kind, 'keychain')
    },
  },
]
