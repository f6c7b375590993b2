import os from 'node:os'

/** Facts of the computer for support, without names. */
export interface SystemFacts {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly release: string
  readonly architecture: string
  readonly processors: number
  readonly memory: { readonly total: number; readonly free: number }
  readonly versions: Readonly<Record<string, string>>
  readonly running: number
}

const told = ['electron', 'chrome', 'node', 'v8', 'openssl', 'sqlite'] as const

/** Reads them now. */
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
