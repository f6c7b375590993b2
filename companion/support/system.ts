import os from 'node:os'

/** What a support bundle says of the computer: nothing that names it or its owner. */
export interface SystemFacts {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly release: string
  readonly architecture: string
  readonly processors: number
  readonly memory: { readonly total: number; readonly free: number }
  /** Of Node, and of Electron and Chromium where they run this process. */
  readonly versions: Readonly<Record<string, string>>
  /** How long this process runs, in s. */
  readonly running: number
}

const told = ['electron', 'chrome', 'node', 'v8', 'openssl', 'sqlite'] as const

/** Reads them as they are now. */
export const readSystem = (): SystemFacts => ({
  home: os.homedir(),
  platform: process.platform,
  release: os.release(),
  architecture: process.arch,
  processors: os.availableParallelism(),
  memory: { total: os.totalmem(), free: os.freemem() },
  versions: Object.fromEntries(
    told.flatMap((name) => (process.versions[name] === undefined ? [] : [[name, process.versions[name]]])),
  ),
  running: Math.round(process.uptime()),
})
