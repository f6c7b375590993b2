import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCommand, type ReadyCommand } from './command.ts'
import { askInstance } from '../companion/instance/instance.ts'
import { until } from '../service/testing/condition.ts'
import type { ServiceReady } from '../contract/service-process.ts'

/** What `npm start` prints when a person could begin. */
export interface AppReady {
  readonly event: 'ready'
  readonly shell: 'electron' | 'browser'
  readonly url: string
  readonly service: ServiceReady
}

/** The app in its browser shell on free ports and data of its own. */
export interface RunningApp extends ReadyCommand<AppReady> {
  readonly dataDir: string
  /** A fresh one-time address, asked for as a second start asks, but without a process for it (`scripts/start.test.ts` starts one). */
  readonly link: () => Promise<string>
  /** Ends the app and removes its data. */
  readonly dispose: () => Promise<void>
}

/** How long one question to the app may take, in ms. */
const linkPatience = 2_000

/** Starts the app as `npm start -- --no-open --shell browser` does; `switches` are further ones, `env` the whole environment where it is another. */
export async function startApp({
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-app-')),
  switches = [],
  env,
}: { dataDir?: string; switches?: readonly string[]; env?: NodeJS.ProcessEnv } = {}): Promise<RunningApp> {
  const command = await startCommand<AppReady>(
    [
      'scripts/start.ts',
      '--no-open',
      '--shell',
      'browser',
      '--data',
      dataDir,
      '--port',
      '0',
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
      ...switches,
    ],
    env,
  )
  return {
    ...command,
    dataDir,
    link: async () => (await until('the answer of the app', () => askInstance(dataDir, linkPatience))).url,
    dispose: async () => {
      await command.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
